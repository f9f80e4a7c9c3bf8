#include "rfbench/statistics/linear_fit.hpp"

#include <cmath>

#include "catch.hpp"

using namespace rfbench::statistics;

TEST_CASE("A straight line is found, and residuals are orthogonal to it", "[statistics]") {
    const Line exact = linear_fit({1, 2, 4}, {1, 3, 7});
    CHECK(exact.slope == Approx(2));
    CHECK(exact.intercept == Approx(-1));
    const std::vector<double> x{1e6 + 0.1, 1e6 + 0.7, 1e6 + 1.9, 1e6 + 2.2}, y{0.3, -0.2, 1.4, 0.9};
    const Line line = linear_fit(x, y);
    double sum = 0, product = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double residual = y[i] - line.intercept - line.slope * x[i];
        sum += residual;
        product += residual * (x[i] - 1e6);
    }
    // The intercept is about 1e6 times the slope: 1e6 ulps.
    CHECK(std::abs(sum) < 1e-8);
    CHECK(std::abs(product) < 1e-8);
    CHECK_THROWS_AS(linear_fit({1}, {1}), std::invalid_argument);
    CHECK_THROWS_AS(linear_fit({1, 2}, {1}), std::invalid_argument);
    CHECK_THROWS_AS(linear_fit({3, 3}, {1, 2}), std::invalid_argument);
}

TEST_CASE("The exponent of a power law is found", "[statistics]") {
    CHECK(exponent({1, 2, 5}, {3, 3 * std::pow(2, -1.5), 3 * std::pow(5, -1.5)}) == Approx(-1.5));
    // A factor on either side is an intercept.
    CHECK(exponent({7, 14}, {0.1, 0.8}) == Approx(3));
    CHECK_THROWS_AS(exponent({1}, {1}), std::invalid_argument);
}

TEST_CASE("The interval of a mean is Student's", "[statistics]") {
    const Mean mean = mean_interval({1, 2, 3, 4}, 0.95);
    CHECK(mean.value == Approx(2.5));
    CHECK(mean.half_width == Approx(3.182446 * std::sqrt(5.0 / 12)).epsilon(1e-6));
    CHECK(std::isnan(mean_interval({1}, 0.95).half_width));
    CHECK(std::isnan(mean_interval({}, 0.95).value));
}
