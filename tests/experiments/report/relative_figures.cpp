// Figures relative to a method, and the numbers of authors, which stand beside results of their own configurations.
#include "report/relative_figures.hpp"

#include <cmath>

#include "catch.hpp"
#include "experiments/given_results.hpp"
#include "experiments/parsed.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::given_results;
using Numbers = std::vector<double>;

namespace {

/// Two panels of one kind of data, of which one has the curve b, and one panel of other data.
report::Figure three_panels(bool log) {
    report::Figure figure{.name = "f", .caption = "Curves.", .interval = "Bands: deviations"};
    report::Panel panel{.title = "normal, positive", .y = {.label = "Var", .log = log, .range = std::pair(1.0, 9.0)}};
    panel.series = {{"a", {1, 2, 3}, {4, 6, 8}, {2, 4, 6}, {6, 8, 10}}, {"b", {1, 2}, {2, 4}}};
    panel.horizontal = {{1.0}};
    figure.panels = {panel, panel, panel};
    figure.panels[1].title = "normal, signed";
    figure.panels[2].title = "sphere, signed";
    for (int i : {1, 2}) figure.panels[i].series.pop_back();
    return figure;
}

store::Dataset regimes_of(const std::string& file) {
    const std::vector<store::Axis> axes{words("regime", {"normal"}), numbers("gamma", {1}),
                                        words("method", {"positive", "optimal-positive"}), numbers("repeat", {0, 1})};
    store::Dataset data{
        axes,
        {variable("mean_log_variance", axes, {1, 2}), variable("sd_log_variance", axes, {0.5}),
         variable("zero_variance_pairs", axes, {0}), variable("count", axes, {8}), variable("positive", axes, {1})},
        {}};
    data.attributes["study"] = "variance/regimes";
    if (!file.empty()) data.attributes["configuration_file"] = file;
    return data;
}

}  // namespace

TEST_CASE("curves relative to a method are differences, or ratios on a logarithmic axis", "[experiments]") {
    report::Figure figure = three_panels(false);
    REQUIRE(draw_relative(figure, "b"));
    for (const int i : {0, 1}) {
        const report::Panel& panel = figure.panels[i];
        INFO(panel.title);
        CHECK(panel.y.label == "Var minus that of b");
        CHECK(Numbers(panel.series[0].y.begin(), panel.series[0].y.begin() + 2) == Numbers{2, 2});
        CHECK(std::isnan(panel.series[0].y[2]));
        CHECK(panel.series[0].low[0] == 0);
        CHECK(panel.series[0].high[1] == 4);
        CHECK(panel.horizontal.empty());
        CHECK(!panel.y.range);
    }
    CHECK(figure.panels[0].series[1].y == Numbers{0, 0});
    CHECK(figure.panels[2].y.label == "Var");
    CHECK(figure.panels[2].series[0].y == Numbers{4, 6, 8});
    CHECK(figure.caption == "Curves. Drawn relative to b.");
    CHECK(figure.interval.ends_with("without the error of b"));

    report::Figure ratios = three_panels(true);
    REQUIRE(draw_relative(ratios, "b"));
    CHECK(ratios.panels[0].y.label == "Var over that of b");
    CHECK(ratios.panels[0].series[0].y[1] == 1.5);
    CHECK(!draw_relative(ratios, "c"));
}

TEST_CASE("relative_to names a method of the list, and changes figures alone", "[experiments]") {
    store::Dataset data = regimes_of("");
    const Report before = report_of(data);
    data.attributes["relative_to"] = "positive";
    const Report after = report_of(data);
    CHECK(after.figures[0].panels[0].series[0].y == Numbers{0});
    CHECK(before.figures[0].panels[0].series[0].y != Numbers{0});
    CHECK(after.tables[0].caption == before.tables[0].caption);

    const Study& study = find("variance", "regimes");
    const auto planned = [&](const std::string& more) {
        const Configuration configuration{
            &study, "mine", "mine.yaml",
            parsed(study, "methods: [positive]\npoints: [normal]\ngammas: 1\nrows: 4\nrepeats: 2\n" + more)};
        return plan(configuration, study.prepare(configuration.value), {}, {});
    };
    CHECK(planned("relative_to: positive\n").attributes.at("relative_to") == "positive");
    CHECK(planned("relative_to: positive\n").common == planned("").common);
    CHECK(rfbench::tests::contains(refused([&] { planned("relative_to: positiv\n"); }), "Did you mean 'positive'?"));
}

TEST_CASE("printed claims stand beside results of the authors' configurations alone", "[experiments]") {
    const auto has_claims = [](const std::string& file) {
        const Report report = report_of(regimes_of(file));
        return std::any_of(report.tables.begin(), report.tables.end(),
                           [](const report::Table& one) { return one.name.ends_with("claims"); });
    };
    CHECK(has_claims("variance/regimes.yaml"));
    CHECK(!has_claims("mine.yaml"));

    const auto gain_of = [](const std::string& file) {
        const std::vector<store::Axis> axes{words("method", {"optimal-positive"}), numbers("dimension", {64}),
                                            numbers("square_sum", {50, 100})};
        store::Dataset data{axes, {variable("log_ratio", axes, {-30, -70})}, {}};
        data.attributes = {{"first_method", "positive"},
                           {"blocks", "1"},
                           {"configuration_file", file},
                           {"config", "methods: [positive, optimal-positive]"}};
        return find("variance", "gain").report(data);
    };
    CHECK(gain_of("variance/gain.yaml").tables[0].columns.back().title == "verdict");
    const report::Table own = gain_of("mine.yaml").tables[0];
    CHECK(own.columns.back().title == "|x + y|² = 100");
    CHECK(own.notes.empty());
}

TEST_CASE("the gain of coupled samplings is one figure with a panel for each mechanism and sampling", "[experiments]") {
    const std::vector<store::Axis> axes{
        words("method", {"positive", "trigonometric"}), numbers("dimension", {2, 8}), numbers("block", {1, 2}),
        words("sampling", {"orthogonal", "simplex"}),   numbers("distance", {1, 2}),  numbers("drawn_distance", {1})};
    const std::vector<std::string> drawn{"distance"}, exact{"drawn_distance"};
    store::Dataset data{
        axes,
        {variable("log_ratio", axes, {-0.1, -0.2}, exact), variable("drawn_ratio", axes, {0.9}, drawn),
         variable("drawn_ratio_half_width", axes, {0.1}, drawn), variable("drawn_exact", axes, {0.9}, drawn)},
        {}};
    for (const char* bound : {"theorem_3", "theorem_6", "theorem_18_printed"})
        data.variables.push_back(variable(bound, axes, {NAN}, {"sampling", "drawn_distance"}));
    data.variables.push_back(
        variable("along_difference", axes, {0}, {"block", "sampling", "distance", "drawn_distance", "dimension"}));
    const Report report = find("variance", "orthogonal").report(data);
    REQUIRE(report.figures.size() == 1);
    CHECK(report.figures[0].name == "orthogonal");
    std::vector<std::string> titles;
    for (const report::Panel& panel : report.figures[0].panels) titles.push_back(panel.title);
    CHECK(titles == std::vector<std::string>{"positive, orthogonal", "positive, simplex", "trigonometric, orthogonal",
                                             "trigonometric, simplex"});
    CHECK(rfbench::tests::contains(report.figures[0].caption, "For M = 2 d the ratios differ from these by 0 at most"));
}
