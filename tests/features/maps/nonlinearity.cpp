#include "rfbench/features/maps/nonlinearity.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "support/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::features;
using namespace rfbench::tests;

TEST_CASE("tanh in vectors is tanh at every scale of its argument") {
    const Index n = 1000;
    const Points normal = normal_points(1, n, Stream(1));
    for (int power = -30; power <= 10; ++power) {
        Eigen::Array<double, 1, Eigen::Dynamic> z = std::ldexp(1.0, power) * normal.row(0).array(), g(n);
        nonlinearity("tanh").apply(z, g);
        for (Index i = 0; i < n; ++i) {
            // Three roundings of at most one epsilon each, and libm's own.
            const double expected = std::tanh(z[i]);
            REQUIRE(std::abs(g[i] - expected) <= 4 * std::numeric_limits<double>::epsilon() * std::abs(expected));
        }
    }
}

TEST_CASE("tanh in vectors has its limits at infinity, and passes what is no number on") {
    const double infinity = std::numeric_limits<double>::infinity();
    Eigen::Array<double, 1, Eigen::Dynamic> z(4);
    z << infinity, -infinity, 1e300, std::nan("");
    nonlinearity("tanh").apply(z, z);
    CHECK(z[0] == 1);
    CHECK(z[1] == -1);
    CHECK(z[2] == 1);
    CHECK(std::isnan(z[3]));
}
