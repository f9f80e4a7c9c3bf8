#include "rfbench/statistics/paired_test.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"

using namespace rfbench;
using namespace rfbench::statistics;

TEST_CASE("Without overlap the paired test is Student's", "[statistics]") {
    // Student 1908, the sleep data: mean 1.58, t = 4.0621, p = 0.00283 on 9 degrees of freedom.
    const auto result = paired_difference({1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4}, 0, 0.95);
    CHECK(result.mean == Approx(1.58));
    CHECK(result.p == Approx(0.00283289).epsilon(1e-5));
    CHECK(result.mean - result.half_width == Approx(0.7001142).epsilon(1e-6));
}

TEST_CASE("Overlapping training sets widen the interval", "[statistics]") {
    const std::vector<double> differences{1, 2, 3, 4};
    const auto plain = paired_difference(differences, 0, 0.9), corrected = paired_difference(differences, 0.1, 0.9);
    CHECK(corrected.half_width == Approx(plain.half_width * std::sqrt((0.25 + 0.1) / 0.25)));
    CHECK(corrected.p > plain.p);
    CHECK(paired_difference({0, 0, 0}, 0.1, 0.9).p == 1);
    CHECK(paired_difference({1, 1, 1}, 0.1, 0.9).p == 0);
    for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()})
        CHECK(paired_difference({value, 1, 2}, 0.1, 0.9).p == 1);
    CHECK_THROWS_AS(paired_difference({1}, 0, 0.9), std::invalid_argument);
    CHECK_THROWS_AS(paired_difference(differences, -1, 0.9), std::invalid_argument);
}

TEST_CASE("Holm's adjusted p-values", "[statistics]") {
    CHECK(holm({0.01, 0.04, 0.03}) == std::vector<double>{0.03, 0.06, 0.06});
    CHECK(holm({0.5, 0.9}) == std::vector<double>{1, 1});
    CHECK(holm({}).empty());
}
