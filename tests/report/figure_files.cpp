// Every written figure: its files are the same twice, its data are whole, its picture shows what was given.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>

#include "catch.hpp"
#include "demo_figures.hpp"
#include "not_finite.hpp"
#include "rfbench/process/run.hpp"
#include "rfbench/report/draw.hpp"
#include "rfbench_places.hpp"
#include "support/changed_variable.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"
#include "xml.hpp"

using namespace rfbench;
using namespace rfbench::report;
using namespace rfbench::tests;

namespace {

const std::filesystem::path drawing_folder = std::filesystem::path(RFBENCH_SOURCE_DIR) / "framework" / "drawing";

FigureFiles drawn(const Figure& figure, const std::filesystem::path& folder) {
    FigureFiles files = write_figure_data(figure, folder);
    draw({files}, {drawing_folder});
    return files;
}

std::size_t shown(const std::vector<std::string>& texts, const std::string& text) {
    return static_cast<std::size_t>(std::count(texts.begin(), texts.end(), text));
}

std::vector<std::string> texts_of(const Figure& figure) {
    const TemporaryFolder scratch;
    return texts_of_svg(bytes_of(drawn(figure, scratch.path()).svg));
}

/// How often a text is shown, in one piece or broken into lines.
std::size_t shown_in_lines(const std::vector<std::string>& texts, const std::string& text) {
    const auto letters = [](std::string all) {
        std::erase_if(all, [](char c) { return c == ' ' || c == '\n'; });
        return all;
    };
    std::string all;
    for (const std::string& line : texts) all += letters(line);
    const std::string wanted = letters(text);
    std::size_t count = 0;
    for (auto at = all.find(wanted); at != std::string::npos; at = all.find(wanted, at + wanted.size())) ++count;
    return count;
}

Figure two_points(const std::string& label) {
    return {.name = "two", .panels = {{.series = {{.label = label, .x = {1, 2}, .y = {1, 2}}}}}};
}

/// A program of that text in the place of Python.
void write_program(const std::filesystem::path& path, const std::string& text) {
    put_bytes(path, text);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

}  // namespace

TEST_CASE("a figure's files have the same bytes twice, whatever folder and settings they are made with", "[figure]") {
    const TemporaryFolder first, second, settings;
    put_bytes(settings.path() / "matplotlibrc", "lines.linewidth: 9\nsvg.fonttype: path\n");
    std::vector<FigureFiles> together;
    for (const Figure& figure : demo_figures())
        together.push_back(write_figure_data(figure, first.path() / "it's a \"folder\" $(x)"));
    draw(together, {drawing_folder});
    const ChangedVariable other("MATPLOTLIBRC", settings.path().string());
    for (const FigureFiles& a : together) {
        INFO(a.json.stem().string());
        const auto of_that_name = [&](const Figure& figure) { return a.json.stem() == figure.name; };
        const auto figures = demo_figures();
        const FigureFiles b = drawn(*std::find_if(figures.begin(), figures.end(), of_that_name), second.path());
        CHECK(bytes_of(a.csv) == bytes_of(b.csv));
        CHECK(bytes_of(a.json) == bytes_of(b.json));
        CHECK(bytes_of(a.svg) == bytes_of(b.svg));
        CHECK(bytes_of(a.pdf) == bytes_of(b.pdf));
        CHECK(bytes_of(a.pdf).starts_with("%PDF-"));
        CHECK(!contains(bytes_of(a.pdf), "CreationDate"));
        CHECK(contains(bytes_of(a.pdf), "/FontFile2"));  // fonts are inside
    }
}

TEST_CASE("the script alone redraws a figure from its JSON, in another style when asked to", "[figure]") {
    const TemporaryFolder folder, elsewhere;
    const FigureFiles files = drawn(log_log(), folder.path());
    const auto copy = elsewhere.path() / files.json.filename();
    std::filesystem::copy_file(files.json, copy);
    const std::string script = (drawing_folder / "draw.py").string();
    // Drawn files are beside the JSON; PATH's Python may have no matplotlib.
    process::Command command{.program = "python3", .arguments = {script, copy.string()}};
    auto result = process::run(command);
    if (result && result->exit_code == 3) {
        command.program = "/usr/bin/python3";
        result = process::run(command);
    }
    REQUIRE(result.has_value());
    INFO(result->errors);
    CHECK(result->exit_code == 0);
    const auto picture = elsewhere.path() / files.svg.filename();
    CHECK(bytes_of(picture) == bytes_of(files.svg));

    put_bytes(elsewhere.path() / "mine.mplstyle", "lines.linewidth: 4.25\n");
    draw({files}, {drawing_folder, elsewhere.path() / "mine.mplstyle"});
    CHECK(contains(bytes_of(files.svg), "stroke-width: 4.25"));
    CHECK(!contains(bytes_of(picture), "stroke-width: 4.25"));
    // A title stands once in a picture, beside once in its metadata, or for a paper there alone.
    const auto titles = [&] {
        const std::string svg = bytes_of(files.svg);
        return count(svg, log_log().title);
    };
    const auto with_title = titles();
    CHECK(draw({files}, {drawing_folder, {}, false}).empty());
    CHECK(titles() == with_title - 1);
    CHECK_THROWS_AS(draw({files}, {drawing_folder, elsewhere.path() / "none.mplstyle"}), std::invalid_argument);
}

TEST_CASE("a picture is well-formed and shows every title, label, legend entry and note", "[figure]") {
    SECTION("17 series") {
        const auto texts = texts_of(seventeen_series());
        for (int s = 0; s < 17; ++s) CHECK(shown(texts, fmt::format("mechanism {}", s)) == 1);
        for (const char* text : {"Seventeen series", "normal", "γ", "mean ln Var", "bound", "equal", "γ = ½", "here",
                                 "bands: one standard deviation"}) {
            INFO(text);
            CHECK(shown(texts, text) == 1);
        }
    }
    SECTION("log axes say what they leave out") {
        const auto texts = texts_of(log_log());
        CHECK(shown(texts, "iid") == 2);  // the shared legend and the second panel's own key
        CHECK(shown(texts, "Values ≤ 0, not drawn on log axes: iid (2), orthogonal (2)") == 1);
        CHECK(shown(texts, "No values: nothing") == 1);
        CHECK(shown(texts, "No values in some panels: ") == 0);
    }
    SECTION("a curve without values in one panel has some in another") {
        Figure figure = log_log();
        for (double& y : figure.panels[1].series[0].y) y = std::nan("");
        const auto texts = texts_of(figure);
        CHECK(shown(texts, "No values in some panels: " + figure.panels[1].series[0].label) == 1);
    }
    SECTION("maps") {
        const auto texts = texts_of(maps());
        CHECK(shown(texts, "ln Var") == 3);
        CHECK(shown(texts, "no values") == 1);
        CHECK(shown(texts, "−2") >= 3);   // a contour's level
        CHECK(shown(texts, "10⁶") == 0);  // a level the map does not reach
    }
    SECTION("a panel without values") {
        const auto texts = texts_of(small_panels());
        CHECK(shown(texts, "no values") == 1);
        CHECK(shown(texts, "No values: none") == 1);
        CHECK(shown(texts, "a_b^{c}") == 1);
    }
}

TEST_CASE("each series is one element of the picture, its interval another", "[figure]") {
    const TemporaryFolder scratch;
    const std::string svg = bytes_of(drawn(seventeen_series(), scratch.path()).svg);
    for (int s = 1; s <= 18; ++s) CHECK(count(svg, fmt::format("id=\"panel-1-series-{}\"", s)) == 1);
    for (int s = 1; s <= 18; ++s)
        CHECK(count(svg, fmt::format("id=\"panel-1-series-{}-interval\"", s)) == (s <= 17 ? 1 : 0));
}

TEST_CASE("a picture says to those who do not see it what is drawn", "[figure]") {
    const TemporaryFolder scratch;
    Figure figure = two_points("R&D <b>");
    figure.title = "Growth & decay";
    figure.caption = "All < 1.";
    figure.panels[0].x.label = "γ";
    figure.panels[0].y.label = "ln Var";
    const std::string svg = bytes_of(drawn(figure, scratch.path()).svg);
    CHECK(contains(svg, "<title>Growth &amp; decay</title>"));
    CHECK(contains(svg, "<desc>All &lt; 1. panel 1: ln Var against γ: R&amp;D &lt;b&gt;.</desc>"));
}

TEST_CASE("text means itself in every place of a picture", "[figure]") {
    std::string every = "|";
    for (char c = '!'; c < '\x7f'; ++c) every += std::string(1, c) + "|";
    const std::vector<std::string> texts{every,
                                         "R&D &lt; &#65; <b>x</b> a_1^{2}",
                                         "@date `date` $(date) %d %s 100%",
                                         R"(\n \101 \U+0041 \\ {/Bold x} ~a{b} ''' """)",
                                         R"($x_1^2$ \alpha $\frac{1}{2}$ # & ~ \begin{x})",
                                         "γ |x + y|² ∞ é",
                                         "'",
                                         "_nolegend_",
                                         "--style=x"};
    for (const std::string& text : texts) {
        INFO(text);
        Figure figure = two_points(text);
        figure.interval = text;
        Panel& panel = figure.panels.front();
        panel.series.push_back({.label = "other", .x = {1, 2}, .y = {2, 1}});
        panel.y.label = text;
        panel.horizontal = {{1.5, text}};
        panel.vertical = {{1.5, text}};
        panel.annotations = {{1, 1, text}};
        panel.x.ticks = {{1, text}};
        panel.title = panel.x.label = figure.title = text;
        CHECK(shown_in_lines(texts_of(figure), text) >= 10);
    }
    const auto broken = texts_of([] {
        Figure figure = two_points("a");
        figure.title = "first\nsecond";
        return figure;
    }());
    CHECK(shown(broken, "first") == 1);
    CHECK(shown(broken, "second") == 1);
}

TEST_CASE("without what draws, data are written, old pictures stay, and a sentence says what to get", "[figure]") {
    const TemporaryFolder folder, programs;
    const FigureFiles files = drawn(two_points("a"), folder.path());
    const std::string before = bytes_of(files.svg);
    CHECK(!picture_of(two_points("a"), files).empty());
    write_figure_data(two_points("b"), folder.path());
    CHECK(picture_of(two_points("b"), files).empty());  // what is there shows other data
    const auto fake = programs.path() / "python";
    const ChangedVariable python("RFBENCH_PYTHON", fake.string());
    const auto attempt = [&] { draw({files}, {drawing_folder}); };

    SECTION("no Python") {
        const std::string message = refusal<NothingToDrawWith>(attempt);
        CHECK(contains(message, "apt-get install python3-matplotlib"));
        CHECK(contains(message, fake.string() + " is not there"));
    }
    SECTION("a Python without matplotlib") {
        write_program(fake, "#!/bin/sh\necho 'No module named matplotlib' >&2\nexit 3\n");
        const std::string message = refusal<NothingToDrawWith>(attempt);
        CHECK(contains(message, "python3-matplotlib"));
        CHECK(contains(message, fake.string() + " has none"));
    }
    SECTION("one that fails") {
        write_program(fake, "#!/bin/sh\necho 'line 3: no such thing' >&2\nexit 7\n");
        const std::string message = refusal<DrawError>(attempt);
        CHECK(contains(message, "code 7"));
        CHECK(contains(message, "line 3: no such thing"));
    }
    CHECK(bytes_of(files.svg) == before);
}

TEST_CASE("one figure that cannot be drawn leaves the others and its own old picture", "[figure]") {
    const TemporaryFolder folder;
    const FigureFiles bad = drawn(two_points("a"), folder.path() / "bad");
    const std::string before = bytes_of(bad.svg);
    put_bytes(bad.json, "{\"name\": \"two\", \"panels\": [");
    const FigureFiles good = write_figure_data(two_points("b"), folder.path() / "good");
    const std::string message = refusal<DrawError>([&] { draw({bad, good}, {drawing_folder}); });
    CHECK(contains(message, bad.json.string()));
    CHECK(!picture_of(two_points("b"), good).empty());
    CHECK(bytes_of(bad.svg) == before);
    std::size_t entries = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "bad"))
        entries += !entry.path().empty();
    CHECK(entries == 4);  // no temporary is left
}
