// The page of all results.
#include "rfbench/report/page.hpp"

#include "catch.hpp"
#include "demo_figures.hpp"
#include "rfbench/report/draw.hpp"
#include "rfbench/report/html_text.hpp"
#include "scratch.hpp"

using namespace rfbench::report;

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
    const ScratchFolder folder;
    const auto figures = folder.path() / "figures", tables = folder.path() / "tables",
               page = folder.path() / "index.html";
    const Figure drawn = small_panels();
    const FigureFiles files = write_figure(drawn, figures);
    Figure undrawn = log_log();
    undrawn.caption = "<not> drawn";
    const Table table{
        .name = "t", .caption = "A & B", .columns = {{"a"}}, .rows = {{{1.0}}, {{"<x>"}, true}}, .notes = {"n"}};
    const std::vector<Section> sections{
        {"first <section>", "", {drawn, undrawn}, figures, {table}, tables, {folder.path() / "it's.h5"}}};
    write_page(page, "Results & more", sections);

    const std::string html = bytes_of(page);
    for (const char* part : {"<title>Results &amp; more</title>", "<h2>first &lt;section&gt;</h2>", "&lt;not&gt; drawn",
                             "Error bars was not drawn", "href=\"figures/small.svg\"", "href=\"figures/small.gp\"",
                             "href=\"tables/t.tex\"", "href=\"it%27s.h5\"", "<td class=\"right\">&lt;x&gt;</td>",
                             "<tr class=\"group\">", "A &amp; B"}) {
        INFO(part);
        CHECK(holds(html, part));
    }
    CHECK(holds(html, base64(bytes_of(files.svg))));
    CHECK(!holds(html, folder.path().string()));
    CHECK(!holds(html, "http"));
    write_page(page, "Results & more", sections);
    CHECK(bytes_of(page) == html);
}
