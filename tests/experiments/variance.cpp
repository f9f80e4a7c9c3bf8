// Reports of variance studies from stored values: nothing cut off, claims judged by the rule that is stated.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "given_results.hpp"
#include "parsed.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::given_results;

namespace {

/// z-scores of one mechanism and sampling, four pairs.
store::Dataset scores(const std::vector<double>& z) {
    const std::vector<std::string> axes{"method", "sampling", "dimension", "pair"};
    return {{{"method", std::vector<std::string>{"positive"}, "", ""},
             {"sampling", std::vector<std::string>{"hadamard"}, "", ""},
             {"dimension", std::vector<double>{4}, "", ""},
             {"pair", std::vector<std::string>{"a", "b", "c", "d"}, "", ""}},
            {{"mean", axes, {1, 1, 1, 1}, "", ""}, {"mean_z", axes, z, "", ""}, {"variance_z", axes, z, "", ""}},
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
    const Report below = find("variance", "monte-carlo").report(scores({-18.1, 0.5, NAN, 4}));
    CHECK(std::get<double>(below.tables[0].rows[0].entries[1]) == 18.1);
    const Report last = find("variance", "monte-carlo").report(scores({3, 0.5, NAN, -40}));
    CHECK(std::get<double>(last.tables[0].rows[0].entries[1]) == 40);
}

TEST_CASE("variance/monte-carlo: a panel has a row for each method that has a score there, and no other",
          "[experiments]") {
    const std::vector<store::Axis> axes{words("method", {"positive", "poisson", "hybrid"}),
                                        words("sampling", {"iid", "sobol"}), numbers("dimension", {4}),
                                        words("pair", {"a", "b"})};
    const std::vector<double> z{1, 2, NAN, 3, 1, 2, NAN, NAN, 1, 2, 3, 4};
    const store::Dataset data{
        axes, {variable("mean", axes, {1}), variable("mean_z", axes, z), variable("variance_z", axes, z)}, {}};
    for (const report::Figure& figure : find("variance", "monte-carlo").report(data).figures) {
        REQUIRE(figure.panels.size() == 2);
        const std::vector<std::string> expected[] = {{"positive", "poisson", "hybrid"}, {"positive", "hybrid"}};
        for (std::size_t p = 0; p < 2; ++p) {
            const report::Panel& panel = figure.panels[p];
            REQUIRE(panel.y.ticks.size() == expected[p].size());
            REQUIRE(panel.series.size() == expected[p].size());
            const auto [bottom, top] = panel.y.range.value();
            CHECK(top - bottom == Approx(static_cast<double>(expected[p].size() + 1)));
            for (std::size_t r = 0; r < expected[p].size(); ++r) {
                CHECK(panel.y.ticks[r].text == expected[p][r]);
                CHECK(panel.series[r].label == expected[p][r]);
                // From above, a row each, whose points are nearer to it than to another.
                CHECK(panel.y.ticks[r].at == Approx(top - static_cast<double>(r + 1)));
                for (const double y : panel.series[r].y) CHECK(std::abs(y - panel.y.ticks[r].at) < 0.5);
            }
        }
    }
}

TEST_CASE("variance/monte-carlo: a score that is infinite is the largest, and leaves the frame to the others",
          "[experiments]") {
    const double infinite = std::numeric_limits<double>::infinity();
    const Report report = find("variance", "monte-carlo").report(scores({-infinite, 8, NAN, 1}));
    CHECK(report.figures[0].panels[0].series[0].x.size() == 3);
    CHECK(report.figures[0].panels[0].x.range->second == Approx(8 * 1.05));
    CHECK(std::get<double>(report.tables[0].rows[0].entries[1]) == infinite);
    check(report.figures[0]);
    check(report.tables[0]);
    CHECK(report.tables[0].notes.back().starts_with("At 1 pairs all estimates are the stated mean"));
}

TEST_CASE("variance/regimes: printed claims stand beside what was measured, and are judged elsewhere",
          "[experiments]") {
    // Half the interval of two repeats that differ by 2 % of the gain: t = 12.706 with one degree of freedom.
    const report::Row row = claim(regimes("normal", "optimal-positive", "positive", 75));
    const auto ours = std::get<report::Estimate>(row.entries[4]);
    CHECK(ours.value == Approx(75));
    CHECK(ours.error == Approx(12.7062 * 0.75).epsilon(1e-4));
    CHECK(std::get<double>(row.entries[5]) == Approx(1));
    CHECK(row.entries.size() == 6);
}

TEST_CASE("variance/regimes: a biased mechanism is not the best, however small its variance", "[experiments]") {
    const auto caption = [](const char* better) {
        return table(find("variance", "regimes").report(regimes("normal", better, "positive", 75)), "regimes").caption;
    };
    CHECK(tests::contains(caption("optimal-positive"), "†"));
    // One that is left is compared with nothing.
    CHECK_FALSE(tests::contains(caption("regularized"), "†"));
}

TEST_CASE("variance/regimes: the table says of a gain near 0 that it is one", "[experiments]") {
    const auto said = [](const char* better, const char* worse, double gain) {
        const auto notes =
            table(find("variance", "regimes").report(regimes("digits", better, worse, gain)), "regimes-claims").notes;
        return std::any_of(notes.begin(), notes.end(),
                           [](const std::string& note) { return note.find("no rounding") != std::string::npos; });
    };
    CHECK(said("generalized-exponential", "trigonometric", 7e-12));
    CHECK_FALSE(said("generalized-exponential", "trigonometric", 10));
    CHECK_FALSE(said("optimal-positive", "positive", 7e-12));
    // It is shown as it is.
    const report::Row row = claim(regimes("digits", "generalized-exponential", "trigonometric", 7e-12));
    CHECK(std::get<report::Estimate>(row.entries[4]).value == Approx(7e-12));
}

TEST_CASE("A figure says which its intervals are once: in the picture", "[experiments]") {
    store::Dataset data = regimes("normal", "optimal-positive", "positive", 80);
    data.attributes["study"] = "variance/regimes";
    const Report report = report_of(data);
    CHECK(report.figures[0].interval == "Bands: ± one standard deviation over pairs of points");
    CHECK(report.figures[0].caption.find("standard deviation") == std::string::npos);
}

TEST_CASE("What is other than the configuration is said in titles, and in captions where it is long", "[experiments]") {
    store::Dataset data = regimes("normal", "optimal-positive", "positive", 80);
    data.attributes["study"] = "variance/regimes";
    data.attributes["overrides"] = "repeats=2";
    const report::Figure brief = report_of(data).figures[0];
    CHECK(brief.title.ends_with(" (--set repeats=2)"));
    CHECK(brief.caption.find("--set") == std::string::npos);
    data.attributes["overrides"] =
        "methods=[positive, trigonometric, {use: optimal-positive, label: fitted}], repeats=2";
    const report::Figure longer = report_of(data).figures[0];
    CHECK(longer.title.ends_with(" (other settings: see its caption)"));
    CHECK(longer.caption.ends_with(" (--set " + data.attributes["overrides"] + ")"));
    CHECK(report_of(data).tables[0].caption.ends_with(" (--set " + data.attributes["overrides"] + ")"));
}

TEST_CASE("variance/angle: shares of angles are those at which a method is the least, at the norms that are shown",
          "[experiments]") {
    // The norms 0.6, 0.9 and 2.2 of the grid are nearest to 0.5, 1, 1.5 and 2; 3 is nearest to none.
    const std::vector<store::Axis> axes{numbers("norm", {0.6, 0.9, 2.2, 3}), numbers("angle", {0, 60, 120, 180}),
                                        words("method", {"a", "b", "c"})};
    const double zero = -std::numeric_limits<double>::infinity();  // the logarithm of no variance
    const store::Dataset data{axes,
                              {variable("log_variance", axes, {zero, 1, 2, 1, 2, 3, -1, 0, 1, 5,  5,  4,     //
                                                               3,    2, 1, 3, 2, 1, 3,  2, 1, 3,  1,  2,     //
                                                               0,    1, 2, 1, 0, 2, 2,  1, 0, -3, -4, -4.5,  //
                                                               9,    0, 9, 9, 0, 9, 9,  0, 9, 9,  0,  9})},
                              {}};
    // A method without a closed form is the least nowhere, even where it stands first.
    std::vector<double> values = data.variables.front().values;
    for (std::size_t i = 0; i < values.size(); i += 3) values[i] = std::nan("");
    store::Dataset unknown = data;
    unknown.variables.front().values = values;
    // No share of the angles is known of it, not even 0.
    const report::Table dashed = table(find("variance", "angle").report(unknown), "angle");
    for (const auto& row : dashed.rows) CHECK(std::holds_alternative<report::Missing>(row.entries[1]));
    REQUIRE(dashed.notes.size() == 1);
    CHECK(dashed.notes.front().starts_with("A dash: "));
    CHECK(table(find("variance", "angle").report(data), "angle").notes.empty());
    CHECK(std::get<double>(dashed.rows[0].entries[2]) + std::get<double>(dashed.rows[0].entries[3]) == 1);
    const auto rows = table(find("variance", "angle").report(data), "angle").rows;
    const double expected[][4] = {{0.6, 0.75, 0, 0.25}, {0.9, 0, 0.25, 0.75}, {2.2, 0.25, 0.25, 0.5}};
    REQUIRE(rows.size() == 3);
    for (std::size_t r = 0; r < 3; ++r) {
        REQUIRE(rows[r].entries.size() == 4);
        for (std::size_t k = 0; k < 4; ++k) CHECK(std::get<double>(rows[r].entries[k]) == expected[r][k]);
    }
}

TEST_CASE("variance/angle: what rounding leaves of a variance that vanishes is drawn as none", "[experiments]") {
    const std::vector<store::Axis> axes{numbers("norm", {1}), numbers("angle", {90, 179, 180}),
                                        words("method", {"hybrid"})};
    // E Z^2 - K^2 of an estimator that is exact is some ulps of 1, squared.
    const store::Dataset data{axes, {variable("log_variance", axes, {-1, -60, std::log(1e-33)})}, {}};
    const Report report = find("variance", "angle").report(data);
    CHECK(report.figures.back().panels.at(0).series.at(0).y == std::vector<double>{std::exp(-1.0), std::exp(-60.0), 0});
}

TEST_CASE("variance/orthogonal: a figure ends a little beyond what can be told from 1", "[experiments]") {
    const std::vector<store::Axis> axes{words("method", {"positive"}),
                                        numbers("dimension", {2}),
                                        numbers("block", {1}),
                                        words("sampling", {"orthogonal", "simplex"}),
                                        numbers("distance", {1, 2, 3, 4, 5}),
                                        numbers("drawn_distance", {1})};
    const std::vector<std::string> not_drawn{"drawn_distance"}, not_exact{"distance"},
        of_bounds{"sampling", "drawn_distance"};
    const auto end = [&](const std::vector<double>& ratios) {
        const store::Dataset data{
            axes,
            {variable("along_difference", axes, {0}, {"block", "sampling", "distance", "drawn_distance"}),
             variable("log_ratio", axes, ratios, not_drawn), variable("drawn_ratio", axes, {1}, not_exact),
             variable("drawn_ratio_half_width", axes, {1}, not_exact), variable("drawn_exact", axes, {1}, not_exact),
             variable("theorem_3", axes, {NAN}, of_bounds), variable("theorem_6", axes, {NAN}, of_bounds),
             variable("theorem_18_printed", axes, {NAN}, of_bounds)},
            {}};
        const auto& panels = find("variance", "orthogonal").report(data).figures.at(0).panels;
        REQUIRE(panels.size() == 2);
        CHECK(panels[0].x.range == panels[1].x.range);
        // The file of its data has all distances.
        CHECK(panels[0].series.at(0).x.size() == 5);
        return panels[0].x.range.value().second;
    };
    CHECK(end({-1, -0.5, 0.001, 0, 0, -1, -0.1, -0.001, 0, 0}) == Approx(2.2));
    CHECK(end({-1, -0.5, 0, 0, 0, -1, -0.1, 0.006, 0, 0}) == Approx(3.3));
    CHECK(end({-1, -0.5, 0, 0, -0.01, -1, -0.1, 0, 0, 0}) == 5);
    // Drawn points stay inside.
    CHECK(end({0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) == Approx(1.1));
}

TEST_CASE("variance/gain: the printed claim is judged at d = 64 and |x + y|^2 = 100, for the pair it speaks of",
          "[experiments]") {
    const auto report = [](const char* first, double last) {
        const std::vector<store::Axis> axes{words("method", {"optimal-positive", "dense-centred"}),
                                            numbers("dimension", {16, 64}), numbers("square_sum", {5, 30, last})};
        const std::vector<double> logs{-1,    -20, -60.5,   // optimal-positive, d = 16
                                       -2,    -19, -60.01,  //                   d = 64
                                       -61,   -62, -63,     // dense-centred
                                       -64.5, -65, -66};
        store::Dataset data{axes,
                            {variable("log_ratio", axes, logs)},
                            {{"first_method", first},
                             {"config", fmt::format("methods: [{}, optimal-positive, dense-centred]", first)}}};
        return find("variance", "gain").report(data);
    };
    const auto missing = [](const report::Entry& entry) { return std::holds_alternative<report::Missing>(entry); };
    const Report printed = report("positive", 100);
    const auto rows = table(printed, "gain").rows;
    REQUIRE(rows.size() == 4);
    // method, d, at 5, at 100 (30 is not shown), printed, holds
    const double at_100[] = {-60.5, -60.01, -63, -66};
    for (std::size_t r = 0; r < 4; ++r) {
        REQUIRE(rows[r].entries.size() == 6);
        CHECK(std::get<std::string>(rows[r].entries[0]) == (r < 2 ? "optimal-positive" : "dense-centred"));
        CHECK(std::get<double>(rows[r].entries[1]) == (r % 2 == 0 ? 16 : 64));
        CHECK(std::get<double>(rows[r].entries[3]) == at_100[r]);
        if (r != 1) CHECK((missing(rows[r].entries[4]) && missing(rows[r].entries[5])));
    }
    CHECK(std::get<double>(rows[1].entries[4]) == -60);
    CHECK(std::get<std::string>(rows[1].entries[5]) == "holds");
    // A panel each, and the printed line where it belongs.
    const auto& panels = printed.figures[0].panels;
    REQUIRE(panels.size() == 2);
    CHECK(panels[1].series[1].y == std::vector<double>{-64.5, -65, -66});
    REQUIRE(panels[0].horizontal.size() == 1);
    CHECK(panels[0].horizontal[0].at == -60);
    CHECK(panels[1].horizontal.empty());

    // Short of 100 nothing is claimed, and over other features there is no column for a claim.
    for (const report::Row& row : table(report("positive", 99), "gain").rows) CHECK(missing(row.entries.back()));
    CHECK(table(report("dense-symmetric", 100), "gain").columns.back().title == "|x + y|² = 100");
}

TEST_CASE("variance/gain: the claim does not hold at what is printed, or above", "[experiments]") {
    const std::vector<store::Axis> axes{words("method", {"optimal-positive"}), numbers("dimension", {64}),
                                        numbers("square_sum", {100})};
    for (const double log_ratio : {-60.0, -59.9, 60.0}) {
        const store::Dataset data{axes,
                                  {variable("log_ratio", axes, {log_ratio})},
                                  {{"first_method", "positive"}, {"config", "methods: [positive, optimal-positive]"}}};
        CHECK(std::get<std::string>(table(find("variance", "gain").report(data), "gain").rows[0].entries.back()) ==
              "fails");
    }
}

TEST_CASE("variance/orthogonal: violations are points where a bound is below the exact ratio, or of no variance",
          "[experiments]") {
    const std::vector<store::Axis> axes{words("method", {"positive", "optimal-positive", "regularized"}),
                                        numbers("dimension", {2, 4}),
                                        numbers("block", {1}),
                                        words("sampling", {"simplex", "orthogonal"}),
                                        numbers("distance", {1, 2}),
                                        numbers("drawn_distance", {1})};
    const std::vector<std::string> not_drawn{"drawn_distance"}, not_exact{"distance"},
        of_bounds{"sampling", "drawn_distance"};
    const double none = NAN;
    // A dimension's ratios: simplex at both distances, then orthogonal.
    const std::vector<double> exact{-9, -9, -0.5, -0.25, 9, 9, -0.125, -0.0625};
    // Bounds for the four orthogonal ones; regularized features have no theorem.
    const std::vector<double> corrected{-0.5,        -0.2, -0.1, -0.0625 - 1e-15,  // positive: rounding is none
                                        -0.5 - 1e-9, -0.2, -0.1, 0,                // optimal-positive: one
                                        none,        none, none, none};
    const std::vector<double> printed{-0.4, -0.3, none, -0.07,  // positive: three
                                      -0.4, -0.2, -0.1, 0,      // optimal-positive: none
                                      none, none, none, none};
    const auto report = [&](std::vector<std::string> samplings) {
        auto own = axes;
        own[3] = words("sampling", std::move(samplings));
        const store::Dataset data{
            own,
            {variable("along_difference", own, {0}, {"block", "sampling", "distance", "drawn_distance"}),
             variable("log_ratio", own, exact, not_drawn), variable("drawn_ratio", own, {1}, not_exact),
             variable("drawn_ratio_half_width", own, {1}, not_exact), variable("drawn_exact", own, {1}, not_exact),
             variable("theorem_3", own, {none}, of_bounds), variable("theorem_6", own, corrected, of_bounds),
             variable("theorem_18_printed", own, printed, of_bounds)},
            {}};
        return find("variance", "orthogonal").report(data);
    };
    const auto rows = table(report({"simplex", "orthogonal"}), "bounds").rows;
    struct Expected {
        const char *method, *bound;
        double violated;
    };
    const Expected expected[] = {{"positive", "Theorem 6", 0},
                                 {"positive", "Theorem 18 as printed", 3},
                                 {"optimal-positive", "Theorem 18, corrected", 1},
                                 {"optimal-positive", "Theorem 18 as printed", 0}};
    REQUIRE(rows.size() == 4);
    for (std::size_t r = 0; r < 4; ++r) {
        INFO(expected[r].method << ", " << expected[r].bound);
        CHECK(std::get<std::string>(rows[r].entries[0]) == expected[r].method);
        CHECK(std::get<std::string>(rows[r].entries[1]) == expected[r].bound);
        CHECK(std::get<double>(rows[r].entries[2]) == 4);
        CHECK(std::get<double>(rows[r].entries[3]) == expected[r].violated);
    }
    // Nothing is compared where orthogonal sampling is not among the samplings.
    for (const report::Table& one : report({"simplex", "antithetic"}).tables) CHECK(one.name != "bounds");
}

TEST_CASE("variance/regimes: repeats in which every pair has variance zero are missing", "[experiments]") {
    store::Dataset data = regimes("mine", "positive", "trigonometric", 1);
    // By repeat and method: trigonometric features have no pair in the first repeat, positive ones in neither.
    data.variables[0].values = {NAN, NAN, NAN, -2};
    data.variables[1].values = {NAN, NAN, NAN, 1};
    const Report report = find("variance", "regimes").report(data);
    std::vector<double> means;
    for (const report::Panel& panel : report.figures[0].panels)
        for (const report::Series& series : panel.series) means.push_back(series.y.at(0));
    REQUIRE(means.size() == 2);
    CHECK(std::isnan(means[0]));
    CHECK(means[1] == -2);
    const report::Table& table = report.tables[0];
    CHECK(std::holds_alternative<report::Missing>(table.rows[0].entries[3]));
    CHECK(std::get<report::Estimate>(table.rows[1].entries[3]).value == -2);
}

TEST_CASE("variance/regimes: where all points are equal the mean is missing, and the cell is no failure",
          "[experiments]") {
    const tests::TemporaryFolder folder;
    std::string rows;
    for (int i = 0; i < 8; ++i) rows += "0.5,-1\n";
    const Sweep sweep = prepared(find("variance", "regimes"),
                                 "methods: [trigonometric]\ngammas: 1\nrows: 4\nrepeats: 1\npoints: {use: file, x: " +
                                     folder.write("equal.csv", rows) + "}\n");
    const store::Dataset data = sweep.measure(sweep.point(sweep.cells().at(0).coordinates));
    CHECK(std::isnan(data.variable("mean_log_variance").values.at(0)));
    CHECK(data.variable("zero_variance_pairs").values.at(0) == 16);
}

TEST_CASE("variance/angle: at equal cost a variance counts times its columns", "[experiments]") {
    // At both angles b has three quarters of the variance of a, at twice the columns.
    const double less = std::log(0.75);
    store::Dataset data{{{"method", std::vector<std::string>{"a", "b"}, "", ""},
                         {"norm", std::vector<double>{1}, "", ""},
                         {"angle", std::vector<double>{0, 90}, "", ""}},
                        {{"log_variance", {"method", "norm", "angle"}, {0, 0, less, less}, "", ""},
                         {"columns", {"method"}, {4, 8}, "", ""}},
                        {}};
    const auto shares = [&] {
        std::vector<double> all;
        const report::Table shown = table(find("variance", "angle").report(data), "angle");
        for (const report::Row& row : shown.rows)
            for (std::size_t m = 2; m > 0; --m) all.push_back(std::get<double>(row.entries.at(row.entries.size() - m)));
        return all;
    };
    CHECK(shares() == std::vector<double>{0, 1, 1, 0});
    data.variables[1].values = {4, 4};
    CHECK(shares() == std::vector<double>{0, 1});
}

TEST_CASE("variance/regimes: ranks are means over gammas and repeats, signed and positive mechanisms apart",
          "[experiments]") {
    const std::vector<store::Axis> axes{
        words("regime", {"normal", "sphere"}), numbers("gamma", {0.5, 1}), numbers("repeat", {0, 1}),
        words("method", {"trigonometric", "positive", "geometric", "optimal-positive", "poisson", "regularized"})};
    // Signed, in columns 0, 2 and 4: ranks 1 3 2, 2 3 1, and equal ones share; the last is not measured everywhere.
    const std::vector<double> normal{1, 5, 3, 4, 2, 0, 2, 5, 3, 4, 1, 0, 1, 5, 1, 6, 2, 0, NAN, 5, 1, 6, 2, 0};
    std::vector<double> values = normal;
    for (int i = 0; i < 24; ++i) values.push_back(i % 6);
    const store::Dataset data{axes,
                              {variable("mean_log_variance", axes, values), variable("sd_log_variance", axes, {0.5}),
                               variable("zero_variance_pairs", axes, {0}), variable("count", axes, {8}),
                               variable("positive", axes, {0, 1, 0, 1, 0, 1})},
                              {{"study", "variance/regimes"}}};
    const report::Table ranks = table(find("variance", "regimes").report(data), "regimes-ranks");
    REQUIRE(ranks.rows.size() == 5);
    // A marked number is an estimate.
    const auto number = [](const report::Entry& entry) {
        const auto* marked = std::get_if<report::Estimate>(&entry);
        return marked != nullptr ? marked->value : std::get<double>(entry);
    };
    const auto row = [&](std::size_t at, const char* positive, const char* method, double in_normal, double in_sphere) {
        INFO(method);
        CHECK(std::get<std::string>(ranks.rows[at].entries[0]) == positive);
        CHECK(std::get<std::string>(ranks.rows[at].entries[1]).starts_with(method));
        CHECK(number(ranks.rows[at].entries[2]) == Approx(in_normal));
        CHECK(number(ranks.rows[at].entries[3]) == Approx(in_sphere));
        CHECK(number(ranks.rows[at].entries[4]) == Approx((in_normal + in_sphere) / 2));
    };
    row(0, "no", "trigonometric", (1 + 2 + 1.5) / 3, 1);
    row(1, "no", "geometric", (3 + 3 + 1.5) / 3, 2);
    row(2, "no", "poisson", (2 + 1 + 3) / 3.0, 3);
    row(3, "yes", "positive", (2 + 2 + 1 + 1) / 4.0, 1);
    row(4, "yes", "optimal-positive", (1 + 1 + 2 + 2) / 4.0, 2);
}
