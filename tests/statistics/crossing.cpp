#include "rfbench/statistics/crossing.hpp"

#include <cmath>

#include "catch.hpp"

using namespace rfbench::statistics;

TEST_CASE("The empirical quantile is a value that the stated share does not exceed", "[statistics]") {
    const std::vector<double> ten{7, 1, 10, 4, 2, 9, 3, 8, 6, 5};
    CHECK(empirical_quantile(ten, 0.9) == 9);
    CHECK(empirical_quantile(ten, 0.91) == 10);
    CHECK(empirical_quantile(ten, 0.05) == 1);
    CHECK(empirical_quantile(ten, 1) == 10);
    for (int n = 1; n <= 100; ++n)
        for (const double share : {0.1, 0.3, 0.7, 0.9}) {
            std::vector<double> values;
            for (int i = n; i >= 1; --i) values.push_back(i);
            const double at = empirical_quantile(values, share);
            INFO("n = " << n << ", share " << share);
            REQUIRE(at >= share * n - 1e-9);
            REQUIRE(at - 1 < share * n - 1e-9);
        }
    CHECK_THROWS_AS(empirical_quantile({}, 0.5), std::invalid_argument);
    CHECK_THROWS_AS(empirical_quantile({1}, 0), std::invalid_argument);
}

TEST_CASE("The crossing of a power law is exact, and unknown outside of the points", "[statistics]") {
    const std::vector<double> x{8, 32, 100, 512};
    std::vector<double> y;
    for (const double value : x) y.push_back(3 / std::sqrt(value));
    // 3 / sqrt(x) = level at x = 9 / level^2.
    for (const double level : {0.9, 0.5, 0.31, 0.15}) CHECK(log_crossing(x, y, level) == Approx(9 / (level * level)));
    CHECK(log_crossing(x, y, y.back()) == Approx(512));
    CHECK(std::isnan(log_crossing(x, y, 2)));
    CHECK(std::isnan(log_crossing(x, y, 0.1)));
    CHECK_THROWS_AS(log_crossing(x, {1}, 0.5), std::invalid_argument);
}
