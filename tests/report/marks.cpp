#include "rfbench/report/marks.hpp"

#include <stdexcept>

#include "catch.hpp"

using namespace rfbench::report;
using Catch::Matchers::Contains;

namespace {

const std::string page =
    "Softmax has <!-- = training/text: text | softmax | after | 2 -->9.99<!-- / --> bits,\n"
    "relu <!-- = training/text: text | relu, 1 | right -->9<!-- / --> %.\n";

Table table() {
    Table of{.name = "text",
             .columns = {word_column("method"),
                         number_column("layer", {Format::Kind::whole, 3}),
                         number_column("after", {}),
                         {"right", "", Alignment::right, {Format::Kind::percent, 1}}}};
    of.rows = {
        {{"softmax", 0.0, Estimate{2.344, 0.0201}, 0.5257}}, {{"relu", 0.0, 1.0, 0.1}}, {{"relu", 1.0, 2.0, 0.4248}}};
    return of;
}

}  // namespace

TEST_CASE("Marks are read with their line, and what they show is replaced alone") {
    const auto all = marks(page);
    REQUIRE(all.size() == 2);
    CHECK(all[0].results == "training/text");
    CHECK(all[0].row == "softmax");
    CHECK(all[0].digits == 2);
    CHECK(all[0].shown == "9.99");
    CHECK(all[1].line == 2);
    CHECK(all[1].digits == -1);
    const std::string after = filled(page, [](const Mark& mark) { return entry_of(table(), mark); });
    CHECK(after ==
          "Softmax has <!-- = training/text: text | softmax | after | 2 -->2.34 ± 0.02<!-- / --> bits,\n"
          "relu <!-- = training/text: text | relu, 1 | right -->42.5<!-- / --> %.\n");
    CHECK(filled(after, [](const Mark& mark) { return mark.shown; }) == after);
}

TEST_CASE("In a table of Markdown bars of a mark are escaped") {
    const std::string row = "| bits | <!-- = training/text: text \\| relu, 1 \\| after \\| 1 -->9<!-- / --> |\n";
    CHECK(filled(row, [](const Mark& mark) { return entry_of(table(), mark); }) ==
          "| bits | <!-- = training/text: text \\| relu, 1 \\| after \\| 1 -->2.0<!-- / --> |\n");
}

TEST_CASE("A mark with one part, or two, is an expression") {
    const auto all = marks("<!-- = a/b: 2 * c[d = e, f; g = 1] -->1<!-- / --> <!-- = a/b: c | 2 -->1<!-- / -->");
    REQUIRE(all.size() == 2);
    CHECK(all[0].expression == "2 * c[d = e, f; g = 1]");
    CHECK(all[0].digits == 3);
    CHECK(all[0].table.empty());
    CHECK(all[1].expression == "c");
    CHECK(all[1].digits == 2);
}

TEST_CASE("The mark of the best of a column is not shown on pages, and other marks are") {
    Table of = table();
    std::get<Estimate>(of.rows[0].entries[2]).mark = "* †";
    CHECK(entry_of(of, {.results = "a", .table = "text", .row = "softmax", .column = "after"}) == "2.344 ± 0.020 *");
    std::get<Estimate>(of.rows[0].entries[2]).mark = "†";
    CHECK(entry_of(of, {.results = "a", .table = "text", .row = "softmax", .column = "after"}) == "2.344 ± 0.020");
}

TEST_CASE("A mark whose words several rows have is refused, and shows none of them") {
    Table of = table();
    of.rows.push_back({{"relu", 2.0, 3.0, 0.5}});
    CHECK(entry_of(of, {.results = "a", .table = "text", .row = "relu, 1", .column = "after", .digits = 1}) == "2.0");
    CHECK(entry_of(of, {.results = "a", .table = "text", .row = "relu, 2", .column = "after", .digits = 1}) == "3.0");
    CHECK_THROWS_WITH(entry_of(of, {.results = "a", .table = "text", .row = "relu", .column = "after"}),
                      Contains("several rows 'relu'"));
}

TEST_CASE("A mark that is not whole, or asks for what is not there, is refused") {
    CHECK_THROWS_WITH(marks("\n<!-- = a: b | c | d -->1"), Contains("line 2") && Contains("does not end"));
    CHECK_THROWS_WITH(marks("<!-- = a: b | c -->1<!-- / -->"), Contains("from 1 to 17, not 'c'"));
    CHECK_THROWS_WITH(marks("<!-- = a: b | 0 -->1<!-- / -->"), Contains("from 1 to 17, not '0'"));
    CHECK_THROWS_WITH(marks("<!-- = a: -->1<!-- / -->"), Contains("table | row | column"));
    CHECK_THROWS_WITH(marks("<!-- = a: b | c | d | 1 | e -->1<!-- / -->"), Contains("table | row | column"));
    CHECK_THROWS_WITH(marks("<!-- = a b -->1<!-- / -->"), Contains("colon"));
    CHECK_THROWS_WITH(marks("<!-- = a: b | c | d | x -->1<!-- / -->"), Contains("not 'x'"));
    CHECK_THROWS_WITH(entry_of(table(), {.results = "a", .table = "text", .row = "sofmax", .column = "after"}),
                      Contains("Did you mean 'softmax'?"));
    CHECK_THROWS_WITH(entry_of(table(), {.results = "a", .table = "text", .row = "softmax", .column = "aftr"}),
                      Contains("Did you mean 'after'?"));
}
