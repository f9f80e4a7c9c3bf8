#include "rfbench/decisions/ranking.hpp"

#include <stdexcept>

#include "catch.hpp"

using namespace rfbench::decisions;

TEST_CASE("The best comes first, and the others are told apart from it or not") {
    // a and b differ by 0.1 in the mean and by chance from repeat to repeat; c is behind by 1 in each.
    const std::vector<Contender> contenders{
        {"c", {1.0, 2.01, 3.0, 4.01}}, {"a", {2.0, 3.0, 4.0, 5.0}}, {"b", {2.5, 2.3, 4.4, 4.4}}};
    const auto ranked = ranking(contenders, true, 0, 0.95);
    REQUIRE(ranked.size() == 3);
    CHECK(ranked[0].name == "a");
    CHECK(ranked[0].mean == 3.5);
    CHECK(ranked[1].name == "b");
    CHECK_FALSE(ranked[1].told_apart);
    CHECK(ranked[1].worse_by == Approx(0.1));
    CHECK(ranked[2].name == "c");
    CHECK(ranked[2].told_apart);  // the intervals of the means overlap, the differences are all of one size
    CHECK(ranked[2].half_width > 1);
    CHECK(ranking(contenders, false, 0, 0.95)[0].name == "c");
}

TEST_CASE("Many contenders are one family") {
    // Student's p of each is 0.048 (scipy ttest_1samp([0.3, 0.8, 0.2, 0.9, 0.1], 0)), three times that is above 0.05.
    std::vector<Contender> contenders{{"best", {1, 1, 1, 1, 1}}};
    for (const char* name : {"one", "two", "three"}) contenders.push_back({name, {0.7, 0.2, 0.8, 0.1, 0.9}});
    const auto alone = ranking({contenders[0], contenders[1]}, true, 0, 0.95);
    const auto all = ranking(contenders, true, 0, 0.95);
    CHECK(alone[1].told_apart);
    CHECK_FALSE(all[1].told_apart);
}

TEST_CASE("Repeats that do not fit are refused, and one repeat tells nothing") {
    CHECK_THROWS_AS(ranking({}, true, 0, 0.95), std::invalid_argument);
    CHECK_THROWS_AS(ranking({{"a", {1, 2}}, {"b", {1}}}, true, 0, 0.95), std::invalid_argument);
    CHECK_FALSE(ranking({{"a", {2}}, {"b", {1}}}, true, 0, 0.95)[1].told_apart);
}

TEST_CASE("Errors of heavy tails are told apart by their logarithms") {
    // The worse method is 1000 times worse in each repeat; one repeat makes most of its mean.
    const std::vector<Contender> contenders{{"good", {0.9, 1.0, 0.8, 1.1, 0.9, 1.0}},
                                            {"bad", {900, 1100, 850, 50'000, 950, 1000}}};
    CHECK_FALSE(ranking(contenders, false, 0, 0.95)[1].told_apart);
    CHECK(ranking(contenders, false, 0, 0.95, Tested::logarithms)[1].told_apart);
    CHECK_THROWS_AS(ranking({{"a", {1, 2}}, {"b", {0, 1}}}, false, 0, 0.95, Tested::logarithms), std::invalid_argument);
}
