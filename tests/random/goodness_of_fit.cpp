// The tests of laws accept what they should and reject what is slightly off.
#include "support/goodness_of_fit.hpp"

#include "catch.hpp"

using namespace rfbench::tests;

TEST_CASE("chi-squared tails agree with tables") {
    // Percentage points, Abramowitz and Stegun, table 26.8.
    CHECK(chi_squared_tail(1, 3.84146) == Approx(0.05).epsilon(1e-5));
    CHECK(chi_squared_tail(2, 13.8155) == Approx(0.001).epsilon(1e-4));
    CHECK(chi_squared_tail(7, 18.4753) == Approx(0.01).epsilon(1e-4));
    CHECK(chi_squared_tail(30, 43.7729) == Approx(0.05).epsilon(1e-4));
}

TEST_CASE("an even grid passes as uniform, its square root does not") {
    std::vector<double> grid, root;
    for (int i = 0; i < 1000; ++i) {
        grid.push_back((i + 0.5) / 1000);
        root.push_back(std::pow(grid.back(), 0.7));
    }
    const auto identity = [](double x) { return x; };
    CHECK(kolmogorov_smirnov(grid, identity) > 0.99);
    CHECK(kolmogorov_smirnov(root, identity) < level);
}

TEST_CASE("counts off by a tenth are rejected") {
    const std::vector<double> expected(20, 1000.0);
    std::vector<double> off = expected;
    for (std::size_t i = 0; i < off.size(); ++i) off[i] += i % 2 == 0 ? 100 : -100;
    CHECK(chi_squared(expected, expected) > 0.99);
    CHECK(chi_squared(off, expected) < level);
}
