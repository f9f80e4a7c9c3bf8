#include "rfbench/statistics/critical_difference.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "catch.hpp"
#include "critical_difference_reference.hpp"

using namespace rfbench::statistics;

TEST_CASE("quantiles of the studentized range are scipy's, and of two numbers those of sqrt(2) |N(0, 1)|") {
    // scipy's own quadrature and root finding are good to some 1e-8.
    for (const auto& [k, probability, q] : range_quantiles) {
        INFO(k << ", " << probability);
        CHECK(range_quantile(probability, k) == Approx(q).epsilon(1e-7));
        CHECK(range_probability(range_quantile(probability, k), k) == Approx(probability).epsilon(1e-13));
    }
    for (const double q : {0.1, 1.0, 3.0, 6.0})
        CHECK(range_probability(q, 2) == Approx(std::erf(q / 2)).epsilon(1e-13));
    CHECK(range_probability(0, 3) == 0);
    CHECK(range_probability(40, 3) == Approx(1).epsilon(1e-13));
    CHECK_THROWS_AS(range_probability(1, 1), std::invalid_argument);
    CHECK_THROWS_AS(range_quantile(1, 3), std::invalid_argument);
}

TEST_CASE("critical differences are those of Demsar") {
    // Table 5 (a) and the example of section 3.2.4: q = 2.569 for four classifiers, 14 data sets, 1.25.
    CHECK(critical_difference(4, 14, 0.05) / std::sqrt(4 * 5 / (6 * 14.0)) == Approx(2.569).margin(0.0005));
    CHECK(critical_difference(4, 14, 0.05) == Approx(1.25).margin(0.005));
    CHECK_THROWS_AS(critical_difference(1, 14, 0.05), std::invalid_argument);
    CHECK_THROWS_AS(critical_difference(4, 0, 0.05), std::invalid_argument);
}

TEST_CASE("Friedman's test is scipy's, with ties; Iman and Davenport's follows from it") {
    std::vector<std::vector<double>> values;
    for (const auto& row : friedman_values) values.emplace_back(std::begin(row), std::end(row));
    const MeanRanks ranks = mean_ranks(values);
    CHECK(ranks.chi_squared == Approx(friedman_chi_squared).epsilon(1e-12));
    CHECK(ranks.p == Approx(friedman_p).epsilon(1e-12));
    CHECK(ranks.f == Approx(5 * friedman_chi_squared / (18 - friedman_chi_squared)).epsilon(1e-12));
    // Equal values share the mean of their ranks.
    CHECK(ranks.mean[0] == Approx((1 + 2 + 1 + 2 + 1 + 1) / 6.0));
    CHECK(ranks.mean[3] == Approx((2.5 + 3.5 + 3 + 4 + 3 + 4) / 6.0));

    const MeanRanks unanimous = mean_ranks({{3, 2, 1}, {30, 20, 10}, {5, 4, 3}});
    CHECK(unanimous.chi_squared == Approx(6));
    CHECK((std::isinf(unanimous.f) && unanimous.p_of_f == 0));
    const MeanRanks level = mean_ranks({{1, 1, 1}, {2, 2, 2}});
    CHECK((std::isnan(level.chi_squared) && level.p == 1 && level.p_of_f == 1));
    CHECK(level.mean == std::vector<double>{2, 2, 2});
    CHECK_THROWS_AS(mean_ranks({{1, 2}}), std::invalid_argument);
    CHECK_THROWS_AS(mean_ranks({{1}, {2}}), std::invalid_argument);
    CHECK_THROWS_AS(mean_ranks({{1, 2}, {1, 2, 3}}), std::invalid_argument);
    CHECK_THROWS_AS(mean_ranks({{1, 2}, {1, std::nan("")}}), std::invalid_argument);
}

TEST_CASE("p values against a control are normal and adjusted by Holm") {
    // Demsar, section 3.2.4: SE = sqrt(4 5 / (6 14)) = 0.488; mean ranks 3.143, 2.000, 2.893, 1.964.
    const MeanRanks ranks{{3.143, 2.000, 2.893, 1.964}, 14, 0, 1, 0, 1};
    const std::vector<double> p = against_control(ranks, 0);
    REQUIRE(p.size() == 4);
    CHECK(p[0] == 1);
    // z = 2.342, 0.512 and 2.416, p = 0.019, 0.607 and 0.016: three times the smallest, which twice the next is below.
    CHECK(p[3] == Approx(3 * std::erfc(1.179 / std::sqrt(2.0 * 4 * 5 / (6 * 14)))).epsilon(1e-12));
    CHECK(p[3] == Approx(3 * 0.016).margin(0.0015));
    CHECK(p[1] == p[3]);
    CHECK(p[2] == Approx(0.608).margin(0.002));
    CHECK_THROWS_AS(against_control(ranks, 4), std::out_of_range);
}

TEST_CASE("runs of level ranks are the longest ones") {
    using Runs = std::vector<std::pair<std::size_t, std::size_t>>;
    CHECK(level_runs({1, 1.5, 2.4, 4, 4.2}, 1) == Runs{{0, 1}, {1, 2}, {3, 4}});
    CHECK(level_runs({1, 1.5, 1.9, 2.2}, 1) == Runs{{0, 2}, {1, 3}});
    // Exactly the critical difference apart is a difference.
    CHECK(level_runs({1, 2}, 1).empty());
    CHECK(level_runs({1, 5, 9}, 2).empty());
    CHECK(level_runs({2, 2, 2}, 0.5) == Runs{{0, 2}});
}
