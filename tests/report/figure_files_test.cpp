// Every written figure: its files are the same twice, its script runs again by itself, its picture shows what was
// given.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>

#include "catch.hpp"
#include "demo_figures.hpp"
#include "rfbench/report/draw.hpp"
#include "rfbench/report/program.hpp"
#include "scratch.hpp"
#include "xml.hpp"

using namespace rfbench::report;

namespace {

std::size_t shown(const std::vector<std::string>& texts, const std::string& text) {
    return static_cast<std::size_t>(std::count(texts.begin(), texts.end(), text));
}

std::vector<std::string> texts_of(const Figure& figure) {
    const ScratchFolder scratch;
    return texts_of_svg(bytes_of(write_figure(figure, scratch.path()).svg));
}

Figure two_points(const std::string& label) {
    return {.name = "two", .panels = {{.series = {{.label = label, .x = {1, 2}, .y = {1, 2}}}}}};
}

}  // namespace

TEST_CASE("a figure's files have the same bytes twice", "[figure]") {
    for (const Figure& figure : demo_figures()) {
        INFO(figure.name);
        const ScratchFolder first, second;
        const FigureFiles a = write_figure(figure, first.path() / "it's a \"folder\" $(x)");
        const FigureFiles b = write_figure(figure, second.path());
        CHECK(bytes_of(a.csv) == bytes_of(b.csv));
        CHECK(bytes_of(a.script) == bytes_of(b.script));
        CHECK(bytes_of(a.svg) == bytes_of(b.svg));
        CHECK(bytes_of(a.pdf) == bytes_of(b.pdf));
        CHECK(bytes_of(a.pdf).starts_with("%PDF-"));
        CHECK(holds(bytes_of(a.pdf), "19700101"));  // no clock
    }
}

TEST_CASE("a written script draws the same picture again beside its data, without a warning", "[figure]") {
    for (const Figure& figure : demo_figures()) {
        INFO(figure.name);
        const ScratchFolder folder, elsewhere;
        const FigureFiles files = write_figure(figure, folder.path());
        for (const auto& file : {files.csv, files.script}) {
            std::filesystem::copy_file(file, elsewhere.path() / file.filename());
        }
        const auto result = run_program("gnuplot", {"-d", files.script.filename().string()}, elsewhere);
        REQUIRE(result.has_value());
        CHECK(result->exit_code == 0);
        CHECK(result->messages == "");
        CHECK(bytes_of(elsewhere.path() / files.svg.filename()) == bytes_of(files.svg));
    }
}

TEST_CASE("a picture is well-formed and shows every title, label, legend entry and note", "[figure]") {
    SECTION("17 series") {
        const auto texts = texts_of(seventeen_series());
        for (int s = 0; s < 17; ++s) CHECK(shown(texts, fmt::format("mechanism {}", s)) == 1);
        for (const char* text : {"Seventeen series", "normal", "γ", "mean ln Var", "bound", "equal", "γ = ½", "here"}) {
            INFO(text);
            CHECK(shown(texts, text) == 1);
        }
    }
    SECTION("log axes say what they leave out") {
        const auto texts = texts_of(log_log());
        CHECK(shown(texts, "iid") == 2);  // the shared legend and the second panel's own key
        CHECK(shown(texts, "nothing: no values; 2 values ≤ 0 not drawn on the log axis") == 2);
        CHECK(shown(texts, "2 infinite values not drawn") == 2);
    }
    SECTION("maps") {
        const auto texts = texts_of(maps());
        CHECK(shown(texts, "ln Var") == 3);
        CHECK(shown(texts, "no values") == 2);  // in the panel, and as its note
        CHECK(shown(texts, "-2") >= 3);         // a contour's level
        CHECK(shown(texts, "1e+06") == 0);      // a level the map does not reach
    }
    SECTION("a panel without values") {
        const auto texts = texts_of(small_panels());
        CHECK(shown(texts, "no values") == 1);
        CHECK(shown(texts, "none: no values") == 1);
        CHECK(shown(texts, "a_b^{c}") == 1);
    }
}

TEST_CASE("each series is one element of the picture, its band another", "[figure]") {
    const ScratchFolder scratch;
    const std::string svg = bytes_of(write_figure(seventeen_series(), scratch.path()).svg);
    // 17 bands, 17 lines, the bound; in the legend 18 entries and the empty plot that carries them.
    CHECK(count(svg, "id=\"gnuplot_plot_") == 17 + 17 + 1 + 18 + 1);
}

TEST_CASE("text means itself in every place of a picture", "[figure]") {
    std::string every = "|";
    for (char c = '!'; c < '\x7f'; ++c) every += std::string(1, c) + "|";
    const std::vector<std::string> texts{every,
                                         "R&D &lt; &#65; <b>x</b> a_1^{2}",
                                         "@date `date` $(date) %d %s 100%",
                                         R"(\n \101 \U+0041 \\ {/Bold x} ~a{b} ''' """)",
                                         "γ |x + y|² ∞ 汉字",
                                         "'",
                                         "@MACRO",
                                         " # not a comment"};
    for (const std::string& text : texts) {
        INFO(text);
        Figure figure = two_points(text);
        figure.title = text;
        Panel& panel = figure.panels.front();
        panel.series.push_back({.label = "other", .x = {1, 2}, .y = {2, 1}});
        panel.title = panel.x.label = panel.y.label = text;
        panel.horizontal = {{1.5, text}};
        panel.vertical = {{1.5, text}};
        panel.annotations = {{1, 1, text}};
        if (text.size() < 40) panel.x.ticks = {{1, text}};
        CHECK(shown(texts_of(figure), text) == 8 + panel.x.ticks.size());
    }
}

namespace {

// The SVG of the first thing drawn in a panel.
std::string first_element(const Panel& panel) {
    const ScratchFolder scratch;
    const std::string svg = bytes_of(write_figure({.name = "strokes", .panels = {panel}}, scratch.path()).svg);
    const std::size_t plot = svg.find("id=\"gnuplot_plot_1a\"");
    REQUIRE(plot != std::string::npos);
    return svg.substr(plot, svg.find("\t</g>", plot) - plot);
}

// How many separate strokes that has.
std::size_t strokes(const Panel& panel) { return count(first_element(panel), "M"); }

std::size_t strokes(const std::vector<double>& y, bool log) {
    Panel panel{.series = {{.label = "a", .x = {1, 2, 3, 4, 5}, .y = y}}};
    panel.x.log = panel.y.log = log;
    return strokes(panel);
}

}  // namespace

TEST_CASE("gaps stay gaps: a line does not cross what cannot be drawn", "[figure]") {
    for (const bool log : {false, true}) {
        INFO(log);
        CHECK(strokes({1, 2, 3, 4, 5}, log) == 1);
        CHECK(strokes({1, 2, nan_value, 4, 5}, log) == 2);
        CHECK(strokes({1, 2, infinity, 4, 5}, log) == 2);
        CHECK(strokes({1, 2, -infinity, 4, 5}, log) == 2);
    }
    CHECK(strokes({1, 2, 0, 4, 5}, true) == 2);
    CHECK(strokes({1, 2, -3, 4, 5}, true) == 2);
    CHECK(strokes({1, 2, -3, 4, 5}, false) == 1);
}

TEST_CASE("a line series shows a point that has no neighbour", "[figure]") {
    const auto marks = [](const std::vector<double>& y) {
        return count(first_element({.series = {{.label = "a", .x = {1, 2, 3, 4}, .y = y}}}), "<use");
    };
    CHECK(marks({1, 2, 3, 4}) == 0);
    CHECK(marks({1, nan_value, 3, 4}) == 3);
    CHECK(marks({nan_value, nan_value, 3, nan_value}) == 1);
}

TEST_CASE("a series is drawn from its own rows", "[figure]") {
    Panel panel{.series = {{.label = "a", .x = {1, 2}, .y = {1, 2}}}};
    panel.x.range = panel.y.range = {{0, 10}};
    const auto path = [](const std::string& element) {
        const std::size_t start = element.find(" d='");
        return element.substr(start, element.find('\'', start + 4) - start);
    };
    const std::string alone = path(first_element(panel));
    panel.series.push_back({.label = "b", .x = {5, 6}, .y = {7, 8}});
    panel.key = Key::none;
    CHECK(path(first_element(panel)) == alone);
}

TEST_CASE("intervals that reach beyond a log axis are drawn down to the frame", "[figure]") {
    Series series{.label = "a", .x = {1, 2, 3}, .y = {1, 1, 1}, .low = {0.5, -1, 0.5}, .high = {2, 3, infinity}};
    series.spread = Spread::bars;
    Panel panel{.series = {series}};
    panel.y.log = true;
    CHECK(strokes(panel) == 3);
}

TEST_CASE("a missing or failing program leaves data and script and says what to install", "[figure]") {
    const ScratchFolder folder, programs;
    const Figure figure = two_points("a");
    write_figure(figure, folder.path());
    const auto exists = [&](const char* name) { return std::filesystem::exists(folder.path() / name); };

    SECTION("no gnuplot") {
        const OtherPath path(programs.path().string());
        const std::string message = message_of<DrawError>([&] { write_figure(figure, folder.path()); });
        CHECK(holds(message, "gnuplot-nox"));
        CHECK(holds(message, (folder.path() / "two.gp").string()));
        CHECK(exists("two.csv"));
        CHECK(exists("two.gp"));
        CHECK(!exists("two.svg"));  // that of the earlier run would show other data
        CHECK(!exists("two.pdf"));
    }
    SECTION("no rsvg-convert") {
        std::filesystem::create_symlink("/usr/bin/gnuplot", programs.path() / "gnuplot");
        const OtherPath path(programs.path().string());
        const std::string message = message_of<DrawError>([&] { write_figure(figure, folder.path()); });
        CHECK(holds(message, "librsvg2-bin"));
        CHECK(holds(message, (folder.path() / "two.svg").string()));
        CHECK(exists("two.svg"));
        CHECK(!exists("two.pdf"));
    }
    SECTION("gnuplot fails") {
        write_bytes(programs.path() / "gnuplot", "#!/bin/sh\necho 'line 3: no such thing' >&2\nexit 7\n");
        std::filesystem::permissions(programs.path() / "gnuplot", std::filesystem::perms::owner_all);
        const OtherPath path(programs.path().string());
        const std::string message = message_of<DrawError>([&] { write_figure(figure, folder.path()); });
        CHECK(holds(message, "code 7"));
        CHECK(holds(message, "line 3: no such thing"));
    }
    SECTION("gnuplot only warns") {
        write_bytes(programs.path() / "gnuplot", "#!/bin/sh\necho '<svg/>' > two.svg\necho 'warning: odd' >&2\n");
        std::filesystem::permissions(programs.path() / "gnuplot", std::filesystem::perms::owner_all);
        const OtherPath path(programs.path().string());
        CHECK(holds(message_of<DrawError>([&] { write_figure(figure, folder.path()); }), "warning: odd"));
    }
}

TEST_CASE("a drawing program that hangs is stopped") {
    const ScratchFolder scratch;
    const auto begin = std::chrono::steady_clock::now();
    const auto result = run_program("sleep", {"60"}, scratch, std::chrono::milliseconds(100));
    REQUIRE(result);
    CHECK(result->exit_code == 128 + SIGKILL);
    CHECK(result->messages.find("stopped after 100 ms") != std::string::npos);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
}

TEST_CASE("every decade of a log axis has its mark, wherever the axis begins", "[figure]") {
    // Left to count decades itself, gnuplot 5.4 set marks at 458, 4580 and 45800 here, and called them 10^3 and 10^4.
    Figure figure = two_points("series");
    figure.panels[0].series[0].x = {512, 131072};
    figure.panels[0].x.log = true;
    const auto texts = texts_of(figure);
    for (const char* decade : {"103", "104", "105"}) CHECK(shown(texts, decade) == 1);
    for (const char* outside : {"102", "106"}) CHECK(shown(texts, outside) == 0);
}
