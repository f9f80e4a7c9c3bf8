// The best value of a column, marked in every form.
#include "rfbench/report/best_mark.hpp"

#include "catch.hpp"
#include "not_finite.hpp"
#include "rfbench/report/column_text.hpp"
#include "support/refusal.hpp"

using namespace rfbench::report;
using namespace rfbench::tests;

namespace {

Table errors() {
    return {.name = "errors",
            .caption = "Errors.",
            .columns = {word_column("method"), {"a"}, {"b"}},
            .rows = {{{"one", Estimate{2.5, 0.1}, 3.25}},
                     {{"two", Estimate{1.5, 0.1}, 1.25}},
                     {{"three", Missing{}, 1.25}},
                     {{"exact", Estimate{0.5, 0.1}, 0.25}}}};
}

std::string mark_of(const Table& table, std::size_t row, std::size_t column) {
    const auto* estimate = std::get_if<Estimate>(&table.rows[row].entries[column]);
    return estimate == nullptr ? "" : estimate->mark;
}

}  // namespace

TEST_CASE("the best of a column has a mark that the caption explains, and equally good ones have it, too", "[report]") {
    Table table = errors();
    mark_best(table, Best::least, {1, 2}, {"exact"});
    CHECK(mark_of(table, 1, 1) == best_mark);
    CHECK(mark_of(table, 0, 1).empty());
    CHECK(mark_of(table, 3, 1).empty());
    CHECK(mark_of(table, 1, 2) == best_mark);
    CHECK(mark_of(table, 2, 2) == best_mark);
    CHECK(table.caption == "Errors. †: least of 'a', 'b'; left out: 'exact'.");
    CHECK(contains(markdown(table), "1.50 ± 0.10 †"));
    CHECK(contains(terminal(table), "1.250 †"));
    CHECK(contains(latex(table), "$1.50$ $\\pm$ $0.10$ $^\\dagger$"));
    CHECK(contains(csv(table), "a mark"));

    Table greatest = errors();
    mark_best(greatest, Best::greatest, columns_from(greatest, 2));
    CHECK(mark_of(greatest, 0, 2) == best_mark);
    CHECK(greatest.caption == "Errors. †: greatest of b.");

    // A reference may be named by any word of its row.
    Table by_task = errors();
    by_task.columns.insert(by_task.columns.begin(), word_column("task"));
    for (Row& row : by_task.rows) row.entries.insert(row.entries.begin(), "recall");
    mark_best(by_task, Best::least, columns_called(by_task, {"b", "no such column"}), {"exact"});
    CHECK(mark_of(by_task, 1, 3) == best_mark);
    CHECK(mark_of(by_task, 3, 3).empty());
    CHECK(by_task.caption == "Errors. †: least of b; left out: 'exact'.");
}

TEST_CASE("each group of rows has a best of its own; one number alone and upper limits have none", "[report]") {
    Table table = errors();
    table.rows[2].rule_above = true;
    mark_best(table, Best::least, {1, 2});
    CHECK(mark_of(table, 1, 2) == best_mark);
    CHECK(mark_of(table, 3, 2) == best_mark);
    CHECK(mark_of(table, 3, 1).empty());
    CHECK(table.caption == "Errors. †: least of 'a', 'b', in its group.");

    Table limits = errors();
    limits.rows[0].entries[1] = Below{3};
    mark_best(limits, Best::least, {1});
    for (std::size_t r = 0; r < 4; ++r) CHECK(mark_of(limits, r, 1).empty());
    CHECK(limits.caption == "Errors.");
}

TEST_CASE("numbers of a column have the same digits after the point where their range allows", "[report]") {
    const auto texts = [](std::vector<Entry> entries) {
        Table table{.name = "t", .columns = {{"c"}}};
        for (Entry& entry : entries) table.rows.push_back({{std::move(entry)}});
        std::vector<std::string> all;
        for (const Row& row : table.rows) all.push_back(entry_text(row.entries[0], format_of(table, 0)));
        return all;
    };
    using Texts = std::vector<std::string>;
    CHECK(texts({0.5, 1.0, 1.5, 2.0}) == Texts{"0.500", "1.000", "1.500", "2.000"});
    CHECK(texts({12.5, Missing{}, 0.25, 0.0}) == Texts{"12.500", "–", "0.250", "0.000"});
    CHECK(texts({2.0, 16.0}) == Texts{"2", "16"});
    // Five digits for one number and three for another are no longer to be compared.
    CHECK(texts({125.25, 0.25}) == Texts{"125", "0.250"});
    CHECK(texts({1.25e-7, 0.5}) == Texts{"1.25e-7", "0.500"});
    CHECK(texts({Estimate{1.5, 0.12}, Estimate{2.25, 0.034}}) == Texts{"1.500 ± 0.120", "2.250 ± 0.034"});
    CHECK(texts({Estimate{-2.218428, 0.000069}, Estimate{-145.34, 0.98}}) ==
          Texts{"-2.218428 ± 0.000069", "-145.34 ± 0.98"});
    CHECK(texts({Estimate{1.5, 0.12}, Estimate{infinity, 1}}) == Texts{"1.50 ± 0.12", "∞"});
}

TEST_CASE("an estimate whose error is 0 shows as many digits as others of its column do", "[report]") {
    const auto texts = [](std::vector<Estimate> estimates) {
        Table table{.name = "t", .columns = {{"c"}}};
        for (const Estimate& one : estimates) table.rows.push_back({{one}});
        std::vector<std::string> all;
        for (const Row& row : table.rows) all.push_back(ColumnText(table, 0)(row.entries[0]));
        return all;
    };
    using Texts = std::vector<std::string>;
    CHECK(texts({{-2.0794415, 0}, {-2.218428, 0.000069}}) == Texts{"-2.079442 ± 0", "-2.218428 ± 0.000069"});
    CHECK(texts({{-2.0794415, 0}, {-2.218428, 0.000069}, {-145.34, 0.98}}) ==
          Texts{"-2.079442 ± 0", "-2.218428 ± 0.000069", "-145.34 ± 0.98"});
    // Alone it has the digits of a number, and never fewer.
    CHECK(texts({{-2.0794415, 0}}) == Texts{"-2.08 ± 0"});
    CHECK(texts({{-2.0794415, 0}, {-1.5, 0}}) == Texts{"-2.08 ± 0", "-1.50 ± 0"});
    CHECK(texts({{0.0012345, 0}, {1.5, 0.12}}) == Texts{"0.00123 ± 0", "1.50 ± 0.12"});
    CHECK(texts({{1.25e-9, 0}, {1.5, 0.12}}) == Texts{"1.25e-9 ± 0", "1.50 ± 0.12"});
    CHECK(texts({{2, 0}, {2.5, 0.12}}) == Texts{"2.00 ± 0", "2.50 ± 0.12"});
    CHECK(texts({{2, 0}, {0, 0}}) == Texts{"2 ± 0", "0 ± 0"});
    const Table percents{.name = "t",
                         .columns = {number_column("c", {Format::Kind::percent, 0})},
                         .rows = {{{Estimate{0.5, 0}}}, {{0.125}}}};
    CHECK(ColumnText(percents, 0)(percents.rows[0].entries[0]) == "50 ± 0");
}
