#include "rfbench/attention/toeplitz_mask.hpp"

#include "catch.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::attention;
using namespace rfbench::tests;

TEST_CASE("masks whose offsets are too many to be numbered are refused") {
    const Index large = Index(1) << 32;
    REQUIRE(refusal([&] {
                decaying_mask({large, large}, 0.1);
            }) == "mask: a grid of 4294967296 x 4294967296; the product of 2 L - 1 over its levels must be below 2^63");
    CHECK(contains(refusal([&] { decaying_mask({large, large, large}, 0.1); }), "below 2^63"));
    CHECK(contains(refusal([&] { decaying_mask({Index(1) << 62}, 0.1); }), "a grid of 4611686018427387904;"));
    CHECK(contains(refusal([&] { decaying_mask({4, -1}, 0.1); }), "length -1 at level 2"));
    CHECK(decaying_mask({large, 0}, 0.1).length() == 0);
}
