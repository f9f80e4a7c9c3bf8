#include "rfbench/statistics/ranks.hpp"

#include <cmath>

#include "catch.hpp"

using namespace rfbench::statistics;

TEST_CASE("Ranks count from the largest, equal values share theirs", "[statistics]") {
    CHECK(descending_ranks({10, 30, 20}) == std::vector<double>{3, 1, 2});
    CHECK(descending_ranks({5, 7, 5, 1}) == std::vector<double>{2.5, 1, 2.5, 4});
    CHECK(descending_ranks({}).empty());
}

TEST_CASE("Kendall's tau of orders", "[statistics]") {
    CHECK(kendall_tau({1, 2, 3, 4}, {10, 20, 30, 40}) == 1);
    CHECK(kendall_tau({1, 2, 3, 4}, {4, 3, 2, 1}) == -1);
    // One of six pairs is turned round: (5 - 1) / 6.
    CHECK(kendall_tau({1, 2, 3, 4}, {1, 2, 4, 3}) == Approx(4.0 / 6));
    // Kendall 1945: ties leave five pairs of b, all of them in the order of a: 5 / sqrt(6 x 5).
    CHECK(kendall_tau({1, 2, 3, 4}, {1, 1, 2, 3}) == Approx(5 / std::sqrt(30.0)));
    CHECK(std::isnan(kendall_tau({1, 2}, {3, 3})));
    CHECK_THROWS_AS(kendall_tau({1, 2}, {1}), std::invalid_argument);
    CHECK_THROWS_AS(kendall_tau({1}, {1}), std::invalid_argument);
}
