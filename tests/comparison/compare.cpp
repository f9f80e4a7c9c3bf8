#include "rfbench/comparison/compare.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "rfbench/random/stream.hpp"

using namespace rfbench;
using namespace rfbench::comparison;

namespace {

constexpr double standard_error = 0.004;

/// Means of 400 drawn estimators of one, as variance/monte-carlo has them, with z-scores beside them.
store::Dataset means(std::uint64_t seed, double bias = 0) {
    store::Dataset data;
    std::vector<double> cells;
    for (int i = 0; i < 400; ++i) cells.push_back(i);
    data.axes = {{"pair", cells, "", ""}};
    store::Variable mean{"mean", {"pair"}, {}, "", ""}, z = mean, stated = mean;
    z.name = "mean_z";
    stated.name = "stated_mean";
    Stream stream(seed);
    for (int i = 0; i < 400; ++i) {
        const double value = 1 + bias + standard_error * stream.normal();
        mean.values.push_back(value);
        z.values.push_back((value - 1) / standard_error);
        stated.values.push_back(1);
    }
    data.variables = {mean, z, stated};
    data.attributes = {{"config", "study: s\nseed: " + std::to_string(seed) + "\n"}};
    return data;
}

store::Dataset repeats(std::vector<double> values, int seed) {
    store::Dataset data;
    data.axes = {{"seed", std::vector<double>{0, 1, 2, 3}, "", ""}};
    data.variables = {{"bits", {"seed"}, std::move(values), "", ""}};
    data.attributes = {{"config", "seed: " + std::to_string(seed) + "\n"}};
    return data;
}

std::vector<Cell> compared(const store::Dataset& a, const store::Dataset& b) { return ranked({compare("e/c", a, b)}); }

}  // namespace

TEST_CASE("Two seeds are statistically the same, and a bias of 2 % is not") {
    CHECK_FALSE(differs(compared(means(1), means(2)), 0.05));
    // 2 % is 5 standard errors of one mean, 3.5 of a difference: each alone is lost among 400, the worst are not.
    const auto biased = compared(means(1), means(2, 0.02));
    CHECK(differs(biased, 0.05));
    CHECK(biased.front().p <= biased.back().p);
    CHECK(std::abs(biased.front().a - biased.front().b) > std::abs(biased.back().a - biased.back().b));
}

TEST_CASE("Many comparisons are one family") {
    // Some of 400 values are two standard errors apart, each alone at 5 %.
    const auto cells = compared(means(1), means(2));
    CHECK(cells.size() == 400);
    CHECK(cells.front().p < 0.05);
    CHECK(cells.front().adjusted_p > 0.05);
}

TEST_CASE("Files of equal bits have nothing to compare") {
    const Compared same = compare("e/c", means(1), means(1));
    CHECK(same.cells.empty());
    CHECK(same.values == same.equal);
}

TEST_CASE("Repeats of one seed are paired, those of two are not") {
    const std::vector<double> values{2.0, 2.5, 3.0, 3.5}, shifted{2.01, 2.511, 3.012, 3.511};
    CHECK(differs(compared(repeats(values, 1), repeats(shifted, 1)), 0.05));
    CHECK_FALSE(differs(compared(repeats(values, 1), repeats(shifted, 2)), 0.05));
}

TEST_CASE("One repeat of one seed is the same or it is not") {
    const auto one = [](double value) {
        store::Dataset data = repeats({value}, 0);
        data.axes[0].labels = std::vector<double>{0};
        return data;
    };
    CHECK(differs(compared(one(0.9), one(0.1)), 0.05));
    CHECK_FALSE(differs(compared(one(0.9), one(0.9 * (1 + 1e-12))), 0.05));
}

TEST_CASE("A value that is missing in one of two paired runs is a difference") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(differs(compared(repeats({1, 2, 3, nan}, 1), repeats({1, 2, 3, 4}, 1)), 0.05));
    CHECK_FALSE(differs(compared(repeats({1, 2, 3, nan}, 1), repeats({1, 2, 3, nan}, 1)), 0.05));
}

TEST_CASE("Values without an error differ beyond rounding") {
    store::Dataset a = means(1), b = a;
    b.variables[2].values[7] = 1 + 1e-12;
    CHECK_FALSE(differs(compared(a, b), 0.05));
    b.variables[2].values[7] = 1 + 1e-6;
    const auto cells = compared(a, b);
    CHECK(differs(cells, 0.05));
    CHECK(cells.front().place == "pair = 7");
}

TEST_CASE("Of values that have no error nothing is told between two seeds") {
    store::Dataset a = repeats({1, 2, 3, 4}, 1), b = repeats({1, 2, 3, 4}, 2);
    a.variables.push_back({"stated", {}, {1.5}, "", ""});
    b.variables.push_back({"stated", {}, {1.7}, "", ""});
    const auto cells = compared(a, b);
    REQUIRE(cells.size() == 1);
    CHECK(std::isnan(cells[0].error));
    CHECK_FALSE(differs(cells, 0.05));
    b.attributes = a.attributes;
    CHECK(differs(compared(a, b), 0.05));
}

TEST_CASE("An infinite value is not near a finite one, and equals itself") {
    constexpr double inf = std::numeric_limits<double>::infinity();
    const auto single = [](double value, int seed) {
        store::Dataset data = repeats({1, 2, 3, 4}, seed);
        data.variables = {{"variance", {}, {value}, "", ""}};
        return data;
    };
    CHECK(differs(compared(single(inf, 1), single(1, 1)), 0.05));
    CHECK(differs(compared(single(inf, 1), single(-inf, 1)), 0.05));
    const auto untold = compared(single(inf, 1), single(1, 2));
    REQUIRE(untold.size() == 1);
    CHECK(std::isnan(untold[0].error));
    CHECK_FALSE(differs(untold, 0.05));
    // Repeats that are infinite in both leave the others to be compared.
    const double rounded = 2 * (1 + 1e-15);
    CHECK_FALSE(differs(compared(repeats({inf, 2, 3, 4}, 1), repeats({inf, rounded, 3, 4}, 1)), 0.05));
    CHECK(differs(compared(repeats({inf, 2, 3, 4}, 1), repeats({1, rounded, 3, 4}, 1)), 0.05));
}

TEST_CASE("Half widths of zero, and none, are no errors") {
    const auto with_width = [](double value, double half_width, int seed) {
        store::Dataset data = repeats({1, 2, 3, 4}, seed);
        data.variables = {{"ratio", {}, {value}, "", ""}, {"ratio_half_width", {}, {half_width}, "", ""}};
        return data;
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(differs(compared(with_width(1, 0, 1), with_width(1 + 1e-15, 0, 1)), 0.05));
    CHECK(differs(compared(with_width(1, 0, 1), with_width(1.1, 0, 1)), 0.05));
    CHECK(differs(compared(with_width(1, 0.01, 1), with_width(1.1, 0, 1)), 0.05));
    const auto untold = compared(with_width(1, nan, 1), with_width(1.1, 0.01, 2));
    REQUIRE(untold.size() == 1);
    CHECK(std::isnan(untold[0].error));
    CHECK_FALSE(differs(untold, 0.05));
}

TEST_CASE("Values that are the same in all repeats of two seeds may differ in their last bits") {
    const double rounded = 2 * (1 + 1e-15);
    CHECK_FALSE(differs(compared(repeats({2, 2, 2, 2}, 1), repeats({rounded, rounded, rounded, rounded}, 2)), 0.05));
    CHECK(differs(compared(repeats({2, 2, 2, 2}, 1), repeats({2.1, 2.1, 2.1, 2.1}, 2)), 0.05));
}

TEST_CASE("Counts are compared, and shown, as shares of their trials") {
    const auto counted = [](double above, double trials, int seed) {
        store::Dataset data = repeats({1, 2, 3, 4}, seed);
        data.variables = {{"above", {}, {above}, "", ""}, {"trials", {}, {trials}, "", ""}};
        return data;
    };
    const auto cells = compared(counted(12, 1000, 1), counted(30, 2000, 2));
    REQUIRE(cells.size() == 2);
    const Cell& above = cells[0].variable == "above" ? cells[0] : cells[1];
    CHECK(above.a == 0.012);
    CHECK(above.b == 0.015);
    CHECK(above.difference == Approx(above.b - above.a).epsilon(1e-12));
    // sqrt(p (1 - p) (1 / 1000 + 1 / 2000)) of the share p = 42 / 3000 of both
    CHECK(above.error == Approx(std::sqrt(0.014 * 0.986 * 0.0015)).epsilon(1e-12));
}

TEST_CASE("Labels and variables that one file lacks are told") {
    store::Dataset a = means(1), b = means(2);
    std::get<std::vector<double>>(b.axes[0].labels)[399] = 1000;
    b.variables.erase(b.variables.begin());
    const Compared of = compare("e/c", a, b);
    REQUIRE(of.notes.size() == 2);
    CHECK(of.notes[0] == "axis pair: 399 labels are in both, 1 in the first alone, 1 in the second alone");
    CHECK(of.notes[1] == "variable mean: the second has none");
}
