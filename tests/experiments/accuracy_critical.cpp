// Ranks over data sets with a critical difference, on accuracies that are given.
#include <cmath>

#include "catch.hpp"
#include "given_results.hpp"
#include "regression/accuracy_report.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::given_results;

namespace {

const std::vector<std::string> methods{"positive", "optimal-positive", "geometric", "trigonometric", "exact"};

/// Trigonometric features are the best on each set and geometric ones the last; the two between take turns, and two
/// splits of a set contradict each other.
store::Dataset turns(std::size_t count) {
    std::vector<std::string> sets;
    std::vector<double> values, features;
    for (std::size_t s = 0; s < count; ++s) {
        sets.push_back("set " + std::to_string(s));
        for (const std::string& method : methods)
            for (const double split : {-0.3, 0.3}) {
                const bool first = (s % 2 == 0) == (method == "positive");
                values.push_back(method == "trigonometric" ? 0.7 + split / 2
                                 : method == "geometric"   ? 0.4
                                 : method == "exact"       ? 0.99
                                 : first                   ? 0.6 + split
                                                           : 0.5 - split);
                features.push_back(method == "exact" ? std::nan("") : 64);
            }
    }
    const std::vector<store::Axis> axes{words("dataset", sets),
                                        words("method", methods),
                                        words("sampling", {"iid"}),
                                        numbers("columns", {128}),
                                        numbers("split", {0, 1}),
                                        words("encoding", {"one-hot"}),
                                        words("scaling", {"standardized"}),
                                        numbers("gamma", {1})};
    return {axes,
            {variable("validation_accuracy", axes, values), variable("test_accuracy", axes, values),
             variable("undecided", axes, {0}), variable("features", axes, features, {"gamma"})},
            {{"study", "regression/accuracy"}}};
}

std::string name(const report::Row& row) { return std::get<std::string>(row.entries[0]); }
double number(const report::Row& row, std::size_t column) { return std::get<double>(row.entries[column]); }
std::string letter(const report::Row& row) { return std::get<std::string>(row.entries[3]); }

}  // namespace

TEST_CASE("regression/accuracy: ranks are those of means over splits, and letters join what is level",
          "[experiments]") {
    const auto table = critical_table(turns(12));
    REQUIRE(table);
    // The exact kernel, which is no feature, is not ranked.
    REQUIRE(table->rows.size() == 4);
    CHECK((name(table->rows[0]) == "trigonometric" && name(table->rows[3]) == "geometric"));
    CHECK((number(table->rows[0], 1) == 1 && number(table->rows[1], 1) == 2.5 && number(table->rows[2], 1) == 2.5));
    CHECK(number(table->rows[3], 2) == 3);
    // 2.569 sqrt(4 5 / (6 12)) = 1.354 is less than 1.5 and more than 0.
    CHECK((letter(table->rows[0]) == "–" && letter(table->rows[1]) == "a" && letter(table->rows[2]) == "a"));
    CHECK(letter(table->rows[3]) == "–");
    CHECK(table->notes[0].find("critical difference 1.35") != std::string::npos);
    CHECK(table->notes[0].find("4 features on 12 data sets") != std::string::npos);

    // Against optimal-positive: z = 1.5 / sqrt(4 5 / (6 12)) = 2.846, twice, and 0; Holm's factors are 3, 2 and 1.
    const double p = std::erfc(1.5 / std::sqrt(20.0 / 72) / std::sqrt(2.0));
    for (const report::Row& row : table->rows) {
        if (name(row) == "optimal-positive") CHECK(std::holds_alternative<report::Missing>(row.entries[4]));
        if (name(row) == "positive") CHECK(number(row, 4) == 1);
        if (name(row) == "trigonometric" || name(row) == "geometric") CHECK(number(row, 4) == Approx(3 * p));
    }

    // On fewer sets all are level but the ends: 2.569 sqrt(20 / 24) = 2.345.
    const auto few = critical_table(turns(4));
    REQUIRE(few);
    CHECK((letter(few->rows[0]) == "a" && letter(few->rows[1]) == "ab" && letter(few->rows[3]) == "b"));
    CHECK(!critical_table(turns(1)));
}

TEST_CASE("regression/accuracy: the figure has a point a method and a bar a run, from rank to rank", "[experiments]") {
    const auto figure = critical_figure(turns(4));
    REQUIRE(figure);
    report::check(*figure);
    const report::Panel& panel = figure->panels.at(0);
    // The critical difference, two bars in one series with their marks in another, and four methods.
    REQUIRE(panel.series.size() == 7);
    CHECK(panel.series[0].x[1] - panel.series[0].x[0] == Approx(2.569 * std::sqrt(20.0 / 24)).epsilon(1e-3));
    const report::Series& bars = panel.series[1];
    std::vector<double> x, rows;
    for (std::size_t i = 0; i < bars.x.size(); ++i)
        if (!std::isnan(bars.y[i])) x.push_back(bars.x[i]), rows.push_back(bars.y[i]);
    CHECK(x == std::vector<double>{1, 2.5, 2.5, 2.5, 2.5, 4});
    CHECK(rows == std::vector<double>{-1, -1, -1, -2, -2, -2});
    CHECK((panel.series[3].label == "trigonometric" && panel.series[3].x[0] == 1 && panel.series[3].y[0] == -3));
    CHECK((panel.series[6].label == "geometric" && panel.series[6].x[0] == 4));
    REQUIRE(panel.y.ticks.size() == 7);
    CHECK((panel.y.ticks[1].text == "level a" && panel.y.ticks[6].text == "geometric"));
    CHECK(accuracy_report(turns(4)).figures.back().name == "accuracy-critical");
}
