#include "catch.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/mechanisms.hpp"
#include "support/same_bits.hpp"

using namespace rfbench;

TEST_CASE("normal omegas without a mechanism are those of positive features, by every scheme") {
    const auto positive = features::fit(features::positive(), {});
    for (const sampling::Scheme& scheme : sampling::catalogue()) {
        CAPTURE(scheme.name);
        const Projections drawn = features::draw(*positive, 4, 7, scheme, Stream(3)).omega;
        CHECK(tests::same_bits(features::draw_normals(4, 7, scheme, Stream(3)), drawn));
        CHECK_THROWS_AS(features::draw_normals(4, 0, scheme, Stream(3)), std::invalid_argument);
    }
}
