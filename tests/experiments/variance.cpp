// What the reports of variance studies say of stored values: nothing cut off, claims judged by the rule that is stated.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "parsed.hpp"

using namespace rfbench;
using namespace rfbench::experiments;

namespace {

/// z-scores of one mechanism and sampling, four pairs.
store::Dataset scores(const std::vector<double>& z) {
    const std::vector<std::string> axes{"method", "sampling", "dimension", "pair"};
    return {{{"method", std::vector<std::string>{"positive"}, "", ""},
             {"sampling", std::vector<std::string>{"hadamard"}, "", ""},
             {"dimension", std::vector<double>{4}, "", ""},
             {"pair", std::vector<std::string>{"a", "b", "c", "d"}, "", ""}},
            {{"mean_z", axes, z, "", ""}, {"variance_z", axes, z, "", ""}},
            {}};
}

/// Mean log variances at gamma = 1 of two repeats: what is better has `gain` less, more or less 1 %.
store::Dataset regimes(const std::string& regime, const char* better, const char* worse, double gain) {
    const std::vector<std::string> axes{"regime", "gamma", "repeat", "method"};
    const std::vector<double> means{0, 0.99 * gain, 0, 1.01 * gain};
    store::Dataset data{{{"regime", std::vector<std::string>{regime}, "", ""},
                         {"gamma", std::vector<double>{1}, "", ""},
                         {"repeat", std::vector<double>{0, 1}, "", ""},
                         {"method", std::vector<std::string>{better, worse}, "", ""}},
                        {{"mean_log_variance", axes, means, "", ""}},
                        {}};
    for (const char* other : {"sd_log_variance", "zero_variance_pairs", "count", "positive"})
        data.variables.push_back({other, axes, {1, 1, 1, 1}, "", ""});
    return data;
}

/// The row of the only claim on these data.
report::Row claim(const store::Dataset& data) {
    for (const report::Table& table : find("variance", "regimes").report(data).tables)
        if (table.name == "regimes-claims") {
            REQUIRE(table.rows.size() == 1);
            return table.rows.front();
        }
    FAIL("there is no table of claims");
    return {};
}

}  // namespace

TEST_CASE("variance/monte-carlo: every score is in the figure, within the frame", "[experiments]") {
    const Report report = find("variance", "monte-carlo").report(scores({-18.1, 0.5, NAN, 40}));
    for (const report::Figure& figure : report.figures) {
        REQUIRE(figure.panels.size() == 1);
        REQUIRE(figure.panels[0].series.size() == 1);
        std::vector<double> shown = figure.panels[0].series[0].x;
        std::sort(shown.begin(), shown.end());
        CHECK(shown == std::vector<double>{-18.1, 0.5, 40});
        CHECK(figure.panels[0].x.range->first < -18.1);
        CHECK(figure.panels[0].x.range->second > 40);
    }
    CHECK(std::get<double>(report.tables[0].rows[0].entries[1]) == 40);
}

TEST_CASE("variance/regimes: a claim holds from nine tenths of the printed number on, and for its own data",
          "[experiments]") {
    const auto verdict = [](const report::Row& row) { return std::get<std::string>(row.entries.back()); };
    const auto of = [&](const char* regime, double gain) {
        return verdict(claim(regimes(regime, "optimal-positive", "positive", gain)));
    };
    CHECK(of("heterogen", 118.1) == "yes");  // printed: 125
    CHECK(of("heterogen", 112) == "no");
    CHECK(of("normal", 58.6) == "no");  // printed: 75
    CHECK(of("normal", 80) == "yes");
    CHECK(of("mnist", 7) == "yes");
    CHECK(of("digits", 100) == "other data");
    CHECK(of("digits", 0) == "other data");

    // Half the interval of two repeats that differ by 2 % of the gain: t = 12.706 with one degree of freedom.
    const report::Row row = claim(regimes("normal", "optimal-positive", "positive", 75));
    const auto ours = std::get<report::Estimate>(row.entries[4]);
    CHECK(ours.value == Approx(75));
    CHECK(ours.error == Approx(12.7062 * 0.75).epsilon(1e-4));
    CHECK(std::get<double>(row.entries[5]) == Approx(1));
}

TEST_CASE("A figure says which its intervals are once: in the picture", "[experiments]") {
    store::Dataset data = regimes("normal", "optimal-positive", "positive", 80);
    data.attributes["study"] = "variance/regimes";
    const Report report = report_of(data);
    CHECK(report.figures[0].interval == "Bands: one standard deviation over pairs, the spread that data have");
    CHECK(report.figures[0].caption.find("standard deviation") == std::string::npos);
}
