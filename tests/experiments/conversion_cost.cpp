// conversion/cost on networks of a few hundred parameters, and its report on known times.
#include <cmath>

#include "catch.hpp"
#include "conversion/cost_report.hpp"
#include "conversions.hpp"
#include "rfbench/report/slice.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::conversions;

namespace {

const Study& cost() { return find("conversion", "cost"); }

std::string cost_yaml(const std::string& sources, const std::string& methods) {
    return "from: training/teachers\nsources: [" + sources + "]\nmethods: [" + methods +
           "]\nlength: 24\ncolumns: 8\nfitted_on: 3\npoints: 16\nrepeats: 2\nmin_seconds: 0.0005\nmax_seconds: 0.01\n";
}

std::vector<double> of(const store::Dataset& data, const char* variable, const report::Fixed& at) {
    return report::slice(data, variable, at).values;
}

}  // namespace

TEST_CASE("conversion/cost: all that has a form is timed, once where no strategy decides its features") {
    const Trained trained(source(recall, 2) + ", " + source(lists, 2));
    const std::string text =
        cost_yaml(source(recall, 2) + ", " + source(lists, 2), "exact, positive, learned-points, linformer");
    const store::Dataset data = collected(cost(), text);
    CHECK(data.attributes.count("measured") == 1);
    for (const std::string source : {"recall", "lists"})
        for (const std::string& method : report::words(data, "method"))
            for (const std::string& strategy : report::words(data, "strategy")) {
                INFO(source << ", " << method << ", " << strategy);
                const bool has_form = method != "linformer" || source == "lists",
                           budgeted = method != "exact" || strategy == "Fix";
                // Runs that take long have fewer rounds than two, and one at least.
                const double sequence =
                    of(data, "sequence_seconds", {{"source", source}, {"method", method}, {"strategy", strategy}})
                        .front();
                CHECK((has_form && budgeted ? sequence > 0 : std::isnan(sequence)));
                const double step = of(data, "step_seconds", {{"source", source}, {"method", method}}).front();
                CHECK((has_form ? step > 0 : std::isnan(step)));
            }
    for (const std::string source : {"recall", "lists"})
        for (const std::string& loss : report::words(data, "loss"))
            CHECK(of(data, "sample_seconds", {{"source", source}, {"loss", loss}}).front() > 0);
    const auto features = [&](const char* strategy) {
        return of(data, "features", {{"source", "recall"}, {"method", "positive"}, {"strategy", strategy}}).front();
    };
    CHECK(features("Fix") == 8);
    // Rounding a layer's features changes their mean by at most a half.
    CHECK(std::abs(features("DoF") - 8) <= 0.5);
    CHECK(features("DoF + Clip") <= 8);
}

TEST_CASE("conversion/cost: tables have the medians and ratios of known times") {
    const std::vector<double> rounds{0, 1, 2};
    store::Dataset data{{{"source", std::vector<std::string>{"text"}, "", ""},
                         {"method", std::vector<std::string>{"exact", "points"}, "", ""},
                         {"strategy", std::vector<std::string>{"Fix", "DoF + Clip"}, "", ""},
                         {"loss", std::vector<std::string>{"squared", "direct"}, "", ""},
                         {"repeat", rounds, "", ""}},
                        {},
                        {{"length", "24"}, {"columns", "8"}}};
    const double nan = std::nan("");
    data.variables = {
        {"sequence_seconds",
         {"source", "method", "strategy", "repeat"},
         {0.03, 0.01, 0.02, nan, nan, nan, 0.04, 0.08, 0.06, 0.02, 0.04, 0.03},
         "s",
         ""},
        {"features", {"source", "method", "strategy"}, {nan, nan, 8, 5.5}, "", ""},
        {"sample_seconds", {"source", "loss", "repeat"}, {0.001, 0.002, 0.003, 0.004, 0.008, 0.012}, "s", ""},
        {"step_seconds", {"source", "method", "repeat"}, {0.2, 0.1, 0.3, 0.1, 0.05, 0.15}, "s", ""},
        {"exact", {"source", "method"}, {1, 0}, "", ""}};
    const Report report = conversion_cost_report(data);
    REQUIRE(report.tables.size() == 3);
    const auto estimate = [&](std::size_t table, std::size_t row, std::size_t column) {
        return std::get<report::Estimate>(report.tables.at(table).rows.at(row).entries.at(column)).value;
    };
    const auto number = [&](std::size_t table, std::size_t row, std::size_t column) {
        return std::get<double>(report.tables.at(table).rows.at(row).entries.at(column));
    };
    // Softmax once, points by both strategies.
    REQUIRE(report.tables[0].rows.size() == 3);
    const auto word = [&](std::size_t row) {
        return std::get<std::string>(report.tables[0].rows.at(row).entries.at(2));
    };
    CHECK(word(0) == "–");
    CHECK(word(1) == "Fix");
    CHECK(number(0, 0, 4) == Approx(20));
    CHECK(number(0, 2, 4) == Approx(30));
    CHECK(estimate(0, 2, 5) == Approx(0.5));
    CHECK(number(1, 0, 2) == Approx(2));
    CHECK(estimate(1, 0, 3) == Approx(0.25));
    CHECK(number(2, 0, 2) == Approx(200));
    CHECK(estimate(2, 1, 3) == Approx(0.5));
}

TEST_CASE("conversion/cost: networks and sources that do not agree are refused") {
    const Trained trained(source(recall, 2));
    CHECK(refused(cost(), cost_yaml(source(lists, 1), "exact")).find("it keeps no network of 'lists'") !=
          std::string::npos);
    CHECK(refused(cost(), cost_yaml("{use: recall, length: 16, vocabulary: 8, pairs: 2, steps: 1}", "exact"))
              .find("has length 12 where the source has 16") != std::string::npos);
}
