// The page of all results.
#include "rfbench/report/page.hpp"

#include <set>

#include "catch.hpp"
#include "demo_figures.hpp"
#include "not_finite.hpp"
#include "rfbench/report/draw.hpp"
#include "rfbench/report/figure_numbers.hpp"
#include "rfbench/report/html_text.hpp"
#include "rfbench_places.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::report;
using namespace rfbench::tests;

TEST_CASE("base64 and links", "[page]") {
    CHECK(base64("") == "");
    CHECK(base64("f") == "Zg==");
    CHECK(base64("fo") == "Zm8=");
    CHECK(base64("foobar") == "Zm9vYmFy");
    CHECK(base64("\xff\xfe") == "//4=");
    CHECK(html_link("a b/\"c\"&.svg") == "a%20b/%22c%22%26.svg");
    CHECK(html_text("<a & 'b'>\"") == "&lt;a &amp; &#39;b&#39;&gt;&quot;");
}

TEST_CASE("a page carries its figures and tables and links their files", "[page]") {
    const TemporaryFolder folder;
    const auto figures = folder.path() / "figures", tables = folder.path() / "tables",
               page = folder.path() / "index.html";
    Figure drawn = small_panels();
    drawn.interval = "Bars: <those>";
    const FigureFiles files = write_figure_data(drawn, figures);
    draw({files}, {std::filesystem::path(RFBENCH_SOURCE_DIR) / "framework" / "drawing"});
    Figure undrawn = log_log();
    undrawn.caption = "<not> drawn";
    undrawn.interval = "Bands: <these>";
    const Table table{
        .name = "t", .caption = "A & B", .columns = {{"a"}}, .rows = {{{1.0}}, {{"<x>"}, true}}, .notes = {"n"}};
    Section full{.title = "first <section>", .text = "what it is"};
    full.facts = {{"seed", "7"}, {"commit", "<abc>"}};
    full.configuration = "seed: 7\nrows: <8>\n";
    full.figures = {drawn, undrawn};
    full.figure_folder = figures;
    full.tables = {table};
    full.table_folder = tables;
    full.files = {folder.path() / "it's.h5"};
    write_page(page, "Results & more", {full});

    const std::string html = bytes_of(page);
    for (const char* part : {"<title>Results &amp; more</title>", "first &lt;section&gt;</h2>", "&lt;not&gt; drawn",
                             "Error bars was not drawn", "href=\"figures/small.svg\"", "href=\"figures/small.json\"",
                             "href=\"tables/t.tex\"", "href=\"it%27s.h5\"", "<td class=\"right\">&lt;x&gt;</td>",
                             "<tr class=\"group\">", "A &amp; B", "<dt>commit</dt><dd>&lt;abc&gt;</dd>",
                             "rows: &lt;8&gt;", "prefers-color-scheme: dark", "2 figures, 1 table"}) {
        INFO(part);
        CHECK(contains(html, part));
    }
    // Numbers under the points: those of both figures, each in a table that opens.
    CHECK(count(html, "<details class=\"numbers\">") == 2);
    CHECK(contains(html, "<td>" + html_text(drawn.panels[0].series[0].label) + "<td>"));
    CHECK(numbers_part(drawn, 3).empty());
    // A picture says itself what its intervals are; where there is none, the page does.
    CHECK(!contains(html, html_text(drawn.interval)));
    CHECK(contains(html, "Bands: &lt;these&gt;."));
    CHECK(contains(html, base64(bytes_of(files.svg))));
    CHECK(!contains(html, folder.path().string()));
    CHECK(!contains(html, "http"));
    CHECK(!contains(html, "class=\"banner\""));
    CHECK(!contains(html, "class=\"badge\""));
    write_page(page, "Results & more", {full});
    CHECK(bytes_of(page) == html);
    CHECK(page_damage(page).empty());
    CHECK(page_damage(folder.path() / "none.html").empty());
    for (std::size_t bit = 0; bit < 8 * html.size(); bit += 101) {
        std::string flipped = html;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
        put_bytes(page, flipped);
        if (page_damage(page).empty()) FAIL("bit " << bit << " is not seen");
        put_bytes(page, html.substr(0, bit / 8));
        if (page_damage(page).empty()) FAIL("a cut at " << bit / 8 << " is not seen");
    }

    SECTION("a picture of other data is not shown") {
        Section changed = full;
        changed.figures[0].title = "other";
        write_page(page, "Results", {changed});
        CHECK(!contains(bytes_of(page), base64(bytes_of(files.svg))));
        CHECK(contains(bytes_of(page), "other was not drawn"));
    }
    SECTION("reduced sections and failures cannot be overlooked") {
        Section smoke = full;
        smoke.title = "second";
        smoke.reduced = "profile <smoke>";
        smoke.failures = {"d=2", "d=<4>"};
        write_page(page, "Results", {full, smoke});
        const std::string both = bytes_of(page);
        const std::size_t banner = both.find("class=\"banner\"");
        CHECK(banner < both.find("Contents"));
        CHECK(contains(both, "Not all are full studies."));
        CHECK(contains(both, "1 of 2 sections"));
        CHECK(contains(both, "The others are full."));
        CHECK(count(both, "<span class=\"badge\">profile &lt;smoke&gt;</span>") == 2);  // contents and heading
        CHECK(contains(both, "2 cells could not be computed"));
        CHECK(contains(both, "<li>d=&lt;4&gt;</li>"));
    }
    SECTION("ids are unique and contents lead to them") {
        Section second = full;
        second.title = "second";
        write_page(page, "Results", {full, second});
        const std::string both = bytes_of(page);
        std::set<std::string> ids;
        std::size_t found = 0;
        for (std::size_t at = both.find(" id=\""); at != std::string::npos; at = both.find(" id=\"", at + 1), ++found)
            ids.insert(both.substr(at + 5, both.find('"', at + 5) - at - 5));
        CHECK(found == 8);
        CHECK(ids.size() == found);
        for (const char* id : {"first%20%3Csection%3E", "second"}) {
            CHECK(ids.contains(id));
            CHECK(contains(both, "<a href=\"#" + html_link(id) + "\">"));
        }
    }
}

TEST_CASE("A table that is filtered comes first, with menus of its rows' entries", "[page]") {
    const TemporaryFolder folder;
    const auto page = folder.path() / "index.html";
    FilteredTable first{
        "Which claims hold",
        {.name = "claims", .caption = "3 claims", .columns = {word_column("id"), word_column("verdict")}},
        {{"verdict", {{"holds"}, {"fails"}, {"holds"}}, "fails"}, {"method", {{"<x>", "y"}, {}, {"y"}}, "none"}}};
    first.table.rows = {{{"A", "holds"}}, {{"<B>", "fails"}}, {{"C", "holds"}}};
    write_page(page, "Results", {Section{.title = "section"}}, first);
    const std::string text = bytes_of(page);
    CHECK(text.find("Which claims hold") < text.find("Contents"));
    CHECK(contains(text,
                   "<select><option value=\"\">all</option><option value=\"fails\" data-not selected>all but: "
                   "fails</option><option>fails</option><option>holds</option></select>"));
    // Entries that no row has are not offered.
    CHECK(
        contains(text, "<select><option value=\"\">all</option><option>&lt;x&gt;</option><option>y</option></select>"));
    CHECK(contains(text, "<tr data-filter0=\"|holds|\" data-filter1=\"|&lt;x&gt;|y|\">"));
    CHECK(contains(text, "<td class=\"left\" data-title=\"id\">&lt;B&gt;</td>"));
    CHECK(contains(text, "3 of 3</output>"));
    first.filters[0].entries.pop_back();
    CHECK_THROWS_AS(write_page(page, "Results", {}, first), std::invalid_argument);
}
