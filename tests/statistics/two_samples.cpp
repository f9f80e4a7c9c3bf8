// Against SciPy 1.10.1, which the comments name.
#include "rfbench/statistics/two_samples.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "catch.hpp"

using namespace rfbench::statistics;
using Catch::Matchers::WithinRel;

TEST_CASE("Means of two samples are compared by Welch's test") {
    const Difference of = welch({2.1, 2.5, 2.3, 2.2}, {2.9, 2.4, 3.3, 2.8, 3.0, 2.6});
    CHECK_THAT(of.p, WithinRel(0.006968514756063181, 1e-10));  // ttest_ind(a, b, equal_var=False)
    CHECK_THAT(of.error, WithinRel(0.15406528197848826, 1e-12));
    // Splits that overlap widen both.
    CHECK(welch({2.1, 2.5, 2.3, 2.2}, {2.9, 2.4, 3.3, 2.8, 3.0, 2.6}, 0.1).p > of.p);
    CHECK(welch({1}, {2, 3}).p == 1);
    CHECK(welch({1, 1}, {2, 2}).p == 0);
    CHECK(welch({1, 1}, {1, 1}).p == 1);
    // Values that are not finite say nothing.
    const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
    for (const double value : {nan, inf}) {
        CHECK(welch({value, 1, 2}, {1, 2, 3}).p == 1);
        CHECK(std::isnan(welch({value, 1, 2}, {1, 2, 3}).error));
    }
    CHECK_THROWS_AS(welch({}, {1}), std::invalid_argument);
}

TEST_CASE("Normal values are compared by both errors") {
    CHECK_THAT(normal_difference(1.3, 0.1, 1.0, 0.12).p,
               WithinRel(0.05478806021494459, 1e-10));  // 2 norm.sf(0.3 / hypot(0.1, 0.12))
    CHECK(normal_difference(1, 0, 1, 0).p == 1);
    CHECK(normal_difference(1, 0, 2, 0).p == 0);
    CHECK(normal_difference(1, std::nan(""), 2, 0.1).p == 1);
}

TEST_CASE("Counts are compared given their sum") {
    CHECK_THAT(share_difference(3, 100, 15, 150).p,
               WithinRel(0.06556259424927742, 1e-10));  // 2 binom.cdf(3, 18, 100 / 250)
    CHECK(share_difference(0, 100, 0, 100).p == 1);
    CHECK(share_difference(5, 100, 5, 100).p == 1);
    CHECK_THROWS_AS(share_difference(1, 0, 0, 1), std::invalid_argument);
}
