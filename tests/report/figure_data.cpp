// The long table a figure is drawn from, and what a figure refuses to be.
#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "catch.hpp"
#include "csv_rows.hpp"
#include "not_finite.hpp"
#include "rfbench/report/figure_csv.hpp"
#include "rfbench/report/figure_json.hpp"
#include "rfbench/report/number_text.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"

using namespace rfbench::report;
using namespace rfbench::tests;

namespace {

// Any double there is, from its bits.
std::vector<double> any_doubles(std::size_t n, std::uint64_t seed) {
    std::mt19937_64 bits(seed);
    std::vector<double> values;
    while (values.size() < n) {
        const std::uint64_t word = bits();
        double value;
        std::memcpy(&value, &word, sizeof value);
        if (std::isfinite(value)) values.push_back(value);
    }
    return values;
}

Figure small() {
    return {.name = "small", .panels = {{.title = "one", .series = {{.label = "a", .x = {1, 2}, .y = {3, 4}}}}}};
}

std::string refused(const Figure& figure) {
    return refusal<std::invalid_argument>([&] { check(figure); });
}

}  // namespace

TEST_CASE("numbers read back as the same doubles", "[figure]") {
    for (const double value : any_doubles(10000, 1)) {
        if (!same_bits(std::strtod(shortest(value).c_str(), nullptr), value)) FAIL(shortest(value));
    }
    CHECK(shortest(0.1) == "0.1");
    CHECK(same_bits(std::strtod(shortest(-0.0).c_str(), nullptr), -0.0));
    CHECK(shortest(nan_value) == "NaN");
    CHECK(shortest(-infinity) == "-inf");
}

TEST_CASE("the long table holds every number and label of a figure", "[figure]") {
    Figure figure = small();
    const std::string odd = "a, \"b\"; 'c' \\ {d}_1 ";
    Series series{.label = odd, .x = any_doubles(50, 2), .y = any_doubles(50, 3)};
    series.low = series.high = series.y;
    figure.panels.push_back({.title = "two, three", .series = {{.label = "b", .x = {1}, .y = {nan_value}}, series}});
    figure.panels.push_back({.title = "map", .map = HeatMap{{1, 2}, {3, 4, 5}, {0, 1, 2, 3, 4, nan_value}, ""}});

    const auto rows = csv_rows(figure_csv(figure));
    REQUIRE(rows.size() == 1 + 2 + 1 + 50 + 6);
    CHECK(rows[0] == std::vector<std::string>{"panel", "series", "x", "y", "low", "high", "z"});
    CHECK(rows[1] == std::vector<std::string>{"one", "a", "1", "3", "", "", ""});
    CHECK(rows[3] == std::vector<std::string>{"two, three", "b", "1", "NaN", "", "", ""});
    for (std::size_t i = 0; i < 50; ++i) {
        const auto& row = rows[4 + i];
        CHECK(row[1] == odd);
        CHECK(same_bits(std::stod(row[2]), series.x[i]));
        for (const std::size_t column : {3, 4, 5})
            CHECK(same_bits(std::strtod(row[column].c_str(), nullptr), series.y[i]));
    }
    CHECK(rows[54] == std::vector<std::string>{"map", "", "1", "3", "", "", "0"});
    CHECK(rows[55] == std::vector<std::string>{"map", "", "1", "4", "", "", "1"});
    CHECK(rows[57] == std::vector<std::string>{"map", "", "2", "3", "", "", "3"});
    CHECK(rows[59] == std::vector<std::string>{"map", "", "2", "5", "", "", "NaN"});
}

TEST_CASE("the JSON of a figure holds all of it, and reads back as the same", "[figure]") {
    Figure figure = small();
    figure.title = "a \"title\"\n\\ γ \x01";
    figure.caption = "seen";
    figure.interval = "bands: what they are";
    figure.columns = 3;
    Series series{.label = "b", .x = any_doubles(50, 2), .y = any_doubles(50, 3)};
    series.y[7] = nan_value;
    series.y[8] = infinity;
    series.y[9] = -infinity;
    series.low = series.high = series.y;
    series.style = Style::line_points;
    series.spread = Spread::bars;
    series.like = "a";
    series.in_legend = false;
    Panel panel{.title = "two", .series = {series}, .horizontal = {{1, "one"}, {2}}, .vertical = {{3}}};
    panel.x = {.label = "M", .log = true, .range = {{1, 10}}, .ticks = {{2, "two"}}};
    panel.annotations = {{1, 2, "here"}};
    panel.key = Key::top_left;
    figure.panels.push_back(panel);
    HeatMap map{{1, 2}, {3, 4, 5}, {0, 1, 2, 3, 4, nan_value}, "z", {0.5}, Palette::diverging, {{-1, 1}}};
    figure.panels.push_back({.map = map});

    const auto json = nlohmann::json::parse(figure_json(figure));
    CHECK(json["name"] == "small");
    CHECK(json["title"] == figure.title);
    CHECK(json["caption"] == "seen");
    CHECK(json["interval"] == figure.interval);
    CHECK(json["columns"] == 3);
    REQUIRE(json["panels"].size() == 3);
    CHECK(json["panels"][0]["series"][0]["style"] == "line");
    CHECK(!json["panels"][0]["series"][0].contains("low"));

    const auto& second = json["panels"][1];
    CHECK(second["title"] == "two");
    CHECK(second["key"] == "top-left");
    CHECK(second["x"] == nlohmann::json::parse(
                             R"({"label": "M", "log": true, "range": [1, 10], "ticks": [{"at": 2, "text": "two"}]})"));
    CHECK(second["horizontal"] == nlohmann::json::parse(R"([{"at": 1, "text": "one"}, {"at": 2}])"));
    CHECK(second["vertical"] == nlohmann::json::parse(R"([{"at": 3}])"));
    CHECK(second["annotations"] == nlohmann::json::parse(R"([{"x": 1, "y": 2, "text": "here"}])"));
    const auto& read = second["series"][0];
    CHECK(read["style"] == "line and points");
    CHECK(read["spread"] == "bars");
    CHECK(read["like"] == "a");
    CHECK(read["legend"] == false);
    for (const char* key : {"y", "low", "high"}) {
        CHECK(read[key][7].is_null());
        CHECK(read[key][8] == "inf");
        CHECK(read[key][9] == "-inf");
    }
    for (std::size_t i = 0; i < 50; ++i) {
        CHECK(same_bits(read["x"][i].get<double>(), series.x[i]));
        if (i < 7 || i > 9) CHECK(same_bits(read["y"][i].get<double>(), series.y[i]));
    }
    CHECK(json["panels"][2]["map"] == nlohmann::json::parse(R"({"label": "z", "palette": "diverging", "range": [-1, 1],
        "contours": [0.5], "x": [1, 2], "y": [3, 4, 5], "z": [[0, 1, 2], [3, 4, null]]})"));
}

TEST_CASE("a series may look like one of the figure that has a look of its own", "[figure]") {
    Figure figure = small();
    Panel& panel = figure.panels.front();
    panel.series.push_back({.label = "points", .x = {1}, .y = {1}, .like = "a"});
    CHECK(refused(figure) == "accepted");
    panel.series.push_back({.label = "more", .x = {1}, .y = {1}, .like = "points"});
    CHECK(contains(refused(figure), "series 'more' is to look like 'points', which no series"));
}

TEST_CASE("panels without titles of their own are numbered", "[figure]") {
    Figure figure = small();
    figure.panels.push_back(figure.panels.front());
    CHECK(panel_names(figure) == std::vector<std::string>{"1", "2"});
    figure.panels.back().title = "two";
    CHECK(panel_names(figure) == std::vector<std::string>{"one", "two"});
}

TEST_CASE("what cannot be drawn is refused by figure, panel and series", "[figure]") {
    CHECK(refused(small()) == "accepted");
    Figure figure = small();
    Panel& panel = figure.panels.front();
    Series& series = panel.series.front();
    std::string expected;

    SECTION("no panel") {
        figure.panels.clear();
        expected = "figure 'small': there is nothing to draw: it has no panel.";
    }
    SECTION("an empty panel") {
        panel.series.clear();
        expected = "figure 'small', panel 1 ('one'): there is nothing to draw: it has neither series nor a map.";
    }
    SECTION("a name that is no file name") {
        figure.name = "../x y";
        expected =
            "the name of a figure becomes a file name: it begins with a letter or digit and has only letters, digits, "
            "'.', '_' and '-', unlike '../x y'.";
    }
    SECTION("an empty series") {
        series.x.clear();
        expected =
            "figure 'small', panel 1 ('one'), series 'a': it has no points. Leave it out, or give NaN where nothing "
            "was "
            "measured.";
    }
    SECTION("lengths") {
        series.y.pop_back();
        expected = "figure 'small', panel 1 ('one'), series 'a': it has 2 x but 1 y.";
    }
    SECTION("half a band") {
        series.low = {1, 2};
        expected =
            "figure 'small', panel 1 ('one'), series 'a': its 2 points have 2 low and 0 high ends of intervals; give "
            "all or none.";
    }
    SECTION("an interval upside down") {
        series.low = {1, 5};
        series.high = {2, 3};
        expected = "figure 'small', panel 1 ('one'), series 'a': the interval at x = 2 has low 5 above high 3.";
    }
    SECTION("a label twice") {
        panel.series.push_back(series);
        expected = "figure 'small', panel 1 ('one'): the label 'a' is given to two series.";
    }
    SECTION("a range below zero on a log axis") {
        panel.y.log = true;
        panel.y.range = {{-1, 1}};
        expected =
            "figure 'small', panel 1 ('one'), y axis: its range [-1, 1] must be positive, since the axis is "
            "logarithmic.";
    }
    SECTION("a range the wrong way round") {
        panel.x.range = {{2, 1}};
        expected = "figure 'small', panel 1 ('one'), x axis: its range must be finite and ascend, not [2, 1].";
    }
    SECTION("a map of the wrong size") {
        panel.series.clear();
        panel.map = HeatMap{{1, 2}, {1, 2}, {1, 2, 3}, ""};
        expected = "figure 'small', panel 1 ('one'): its map of 2 x 2 nodes has 3 values.";
    }
    SECTION("a map that does not ascend") {
        panel.series.clear();
        panel.map = HeatMap{{1, 1}, {1, 2}, {1, 2, 3, 4}, ""};
        expected = "figure 'small', panel 1 ('one'): its x must be finite and ascend, unlike 1 at place 1.";
    }
    CHECK(refused(figure) == expected);
}
