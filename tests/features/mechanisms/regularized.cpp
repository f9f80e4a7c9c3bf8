// Regularized features at extremes: large dimensions and long rows of few coordinates.
#include <cmath>

#include "catch.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/mechanism.hpp"
#include "rfbench/features/mechanisms.hpp"
#include "rfbench/features/pair_statistics.hpp"

using namespace rfbench;
using namespace rfbench::features;

TEST_CASE("Regularized variances at extremes are finite, in batches as pair by pair", "[features]") {
    struct Case {
        Index d;
        double x, y;
    };
    // An excess beyond the largest exponent of double; rows so long that no polynomial follows the bend next to 0.
    for (const Case& at : {Case{1024, 1.5, 1.5}, Case{3072, 1.5, 0.2}, Case{1, 3200, 3200}, Case{3, 3200, -1}}) {
        INFO("d = " << at.d << ", x = " << at.x << ", y = " << at.y);
        const Points x = Points::Constant(1, at.d, at.x), y = Points::Constant(1, at.d, at.y);
        const auto mechanism = fit_with_moments(regularized(), features::statistics(x, y, PoissonMoments::left_out));
        const Moments one = mechanism->moments(Pair(x.row(0).data(), y.row(0).data(), at.d));
        CHECK(std::isfinite(one.log_variance));
        CHECK(one.log_variance <= one.log_second_moment);
        Points batch(1, 1);
        mechanism->log_variances(x, y, batch);
        CHECK(batch(0, 0) == Approx(one.log_variance).epsilon(1e-10));
    }
}
