// The four forms of a table.
#include "rfbench/report/table.hpp"

#include <fmt/format.h>

#include "catch.hpp"
#include "csv_rows.hpp"
#include "not_finite.hpp"
#include "rfbench/report/latex_text.hpp"
#include "rfbench/report/table_latex.hpp"
#include "rfbench/report/text_width.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::report;
using namespace rfbench::tests;
using Kind = Format::Kind;

namespace {

Table demo() {
    return {.name = "demo",
            .caption = "Log variance of a_b & c | d",
            .columns = {{"mechanism", "", Alignment::left},
                        {"γ", "", Alignment::centre, {Kind::fixed, 1}},
                        {"ln Var", "nat"},
                        {"share", "", Alignment::right, {Kind::percent, 1}}},
            .rows = {{{"positive", 0.1, Estimate{1.2345, 0.056}, 0.125}},
                     {{"a|b", 1.0, Missing{}, nan_value}},
                     {{"汉字, \"x\"", 0.55, Estimate{-1.5e-7, 2e-9}, 1.0}, true}},
            .notes = {"Errors are one standard deviation."}};
}

std::string text(const Entry& entry, Kind kind = Kind::significant, int digits = 3) {
    return entry_text(entry, {kind, digits});
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines{""};
    for (const char c : text) {
        if (c == '\n')
            lines.emplace_back();
        else
            lines.back() += c;
    }
    lines.pop_back();
    return lines;
}

}  // namespace

TEST_CASE("numbers on paper", "[table]") {
    CHECK(text(1.5) == "1.50");
    CHECK(text(0.012345) == "0.0123");
    CHECK(text(1.2345e-7) == "1.23e-7");
    CHECK(text(-1.2345e12) == "-1.23e12");
    CHECK(text(123456.7) == "123457");
    CHECK(text(999.6) == "1000");
    CHECK(text(717.948) == "718");
    CHECK(text(122.705) == "123");
    CHECK(text(64.0) == "64.0");
    CHECK(text(64.0, Kind::whole) == "64");
    CHECK(text(64.5, Kind::whole) == "64.5");
    CHECK(text(-0.0) == "0");
    CHECK(text(2.345, Kind::fixed, 1) == "2.3");
    CHECK(text(-0.001, Kind::fixed, 2) == "0.00");
    CHECK(text(0.1234, Kind::percent, 1) == "12.3");
    CHECK(text(nan_value) == "–");
    CHECK(text(Missing{}) == "–");
    CHECK(text(infinity) == "∞");
    CHECK(text(-infinity, Kind::fixed) == "-∞");
    CHECK(text("any | text") == "any | text");
}

TEST_CASE("an estimate and its error end at the same digit", "[table]") {
    CHECK(text(Estimate{1.2345, 0.056}) == "1.234 ± 0.056");
    CHECK(text(Estimate{1.2345, 0.0996}) == "1.23 ± 0.10");
    CHECK(text(Estimate{1234.5, 56}) == "1234 ± 56");
    CHECK(text(Estimate{1234.5, 560}) == "1234 ± 560");
    CHECK(text(Estimate{-1.5e-7, 2e-9}) == "(-1.500 ± 0.020)e-7");
    CHECK(text(Estimate{2.5, 0}) == "2.50 ± 0");
    CHECK(text(Estimate{nan_value, 1}) == "–");
    CHECK(text(Estimate{2.5, nan_value}) == "2.50");
    CHECK(text(Estimate{2.5, 0}, Kind::fixed, 2) == "2.50 ± 0");
    CHECK(text(Estimate{4.2, 75, "*"}, Kind::fixed, 1) == "4.2 ± 75.0 *");
    CHECK(text(Estimate{1, 1e-20}) == "1.00 ± 1.0e-20");
    CHECK(text(Below{0.00123}) == "< 0.00123");
    CHECK(text(Estimate{0.5, 0.0123}, Kind::percent, 1) == "50.0 ± 1.2");
    CHECK(text(Estimate{0.5, 0.0123}, Kind::fixed, 3) == "0.500 ± 0.012");
}

TEST_CASE("Markdown: aligned pipes, escaped text, groups, notes", "[table]") {
    const auto lines = lines_of(markdown(demo()));
    REQUIRE(lines.size() == 10);
    CHECK(lines[0] == "Log variance of a\\_b &amp; c \\| d");
    for (std::size_t i = 2; i < 8; ++i) {
        CHECK(display_width(lines[i]) == display_width(lines[2]));
        CHECK(lines[i].front() == '|');
        CHECK(count(lines[i], "|") - count(lines[i], "\\|") == 5);
    }
    CHECK(contains(lines[2], "ln Var \\[nat\\]"));
    CHECK(lines[3].starts_with("|:---"));
    CHECK(contains(lines[3], "-:|"));
    CHECK(lines[6].find_first_not_of("| ") == std::string::npos);
    CHECK(lines[9] == "Errors are one standard deviation.");
}

TEST_CASE("LaTeX: booktabs, every special character a command", "[table]") {
    const std::string tex = latex(demo());
    for (const char* part : {"\\toprule", "\\bottomrule", "\\begin{tabular}{lcrr}",
                             "\\caption{Log variance of a\\_b \\& c \\textbar{} $d$}", "\\label{tab:demo}", "$\\gamma$",
                             "$1.234$ $\\pm$ $0.056$", "\\shortstack[r]{share\\\\{}[\\%]}", "$12.5$",
                             "$(-1.500 \\pm 0.020)\\times10^{-7}$", " & -- & -- \\\\"}) {
        INFO(part);
        CHECK(contains(tex, part));
    }
    CHECK(count(tex, "\\midrule") == 2);
    CHECK(count(tex, "{") == count(tex, "}"));
    CHECK(latex_text("\\{}$&#%_^~<>|\"`") ==
          "\\textbackslash{}\\{\\}\\$\\&\\#\\%\\_\\textasciicircum{}\\textasciitilde{}\\textless{}\\textgreater{}"
          "\\textbar{}"
          "''\\textasciigrave{}");
    CHECK(latex_text("--set a---b") == "-{}-set a-{}-{}-b");
    CHECK(latex_number("-1.5e-7") == "$-1.5\\times10^{-7}$");
    CHECK(latex_number("< 0.0012") == "$<$ $0.0012$");
    CHECK(latex_number("∞") == "$\\infty$");
}

TEST_CASE("LaTeX: heads wider than their columns are broken, and wide tables are set smaller", "[table]") {
    Table table{.name = "t",
                .columns = {{"degrees of freedom", "s"}, word_column("method")},
                .rows = {{{1.0, std::string("optimal-positive")}}}};
    const std::string narrow = latex(table);
    CHECK(contains(narrow, "\\shortstack[r]{degrees\\\\{}of\\\\{}freedom\\\\{}[s]} & method \\\\"));
    CHECK(contains(narrow, "  \\small\n"));
    // 24 characters a column: 22 of its words and two for the space between.
    for (const auto& [columns, size] : {std::pair{2, "\\small"}, {3, "\\footnotesize"}, {9, "\\scriptsize"}}) {
        Table wide{.name = "t"};
        wide.rows.emplace_back();
        for (int c = 0; c < columns; ++c) {
            wide.columns.push_back(word_column("column" + std::to_string(c)));
            wide.rows[0].entries.emplace_back(std::string(22, 'x'));
        }
        INFO(columns);
        CHECK(contains(latex(wide), std::string("  ") + size + "\n"));
    }
}

TEST_CASE("LaTeX: a table longer than a page is set in parts, which begin with groups", "[table]") {
    Table table{.name = "long", .caption = "All.", .columns = {{"n"}}};
    for (int r = 0; r < 90; ++r) table.rows.push_back({{static_cast<double>(r)}, r % 30 == 0});
    table.notes = {"A note."};
    const std::string tex = latex(table);
    CHECK(count(tex, "\\begin{table}") == 3);
    CHECK(count(tex, "\\end{table}") == 3);
    CHECK(count(tex, "\\label") == 1);
    CHECK(count(tex, "\\caption{Continued.}") == 2);
    CHECK(count(tex, "A note.") == 1);
    CHECK(contains(tex, "\\midrule\n    $30$"));
    CHECK(contains(tex, "    $29$ \\\\\n    \\bottomrule"));
    for (Row& row : table.rows) row.rule_above = false;
    CHECK(contains(latex(table), "    $35$ \\\\\n    \\bottomrule"));
}

TEST_CASE("LaTeX: a first cell is no argument of the row's end before it", "[table]") {
    Table table{.name = "own", .caption = "All.", .columns = {word_column("method"), {"n"}}};
    for (const char* label : {"[mine]", "*mine", "mine"}) table.rows.push_back({{std::string(label), 1.0}});
    const std::string tex = latex(table);
    CHECK(contains(tex, "\n    {}[mine] & "));
    CHECK(contains(tex, "\n    {}*mine & "));
    CHECK(contains(tex, "\n    mine & "));
}

TEST_CASE("groups begin where the first entries change", "[table]") {
    Table table{.name = "groups", .columns = {word_column("a"), {"b"}, {"c"}}};
    for (const auto& [word, number] : {std::pair{"x", 1.0}, {"x", 1.0}, {"x", 2.0}, {"y", 2.0}, {"x", 2.0}})
        table.rows.push_back({{word, number, Missing{}}, true});
    const auto begins = [&](std::size_t columns) {
        group_by_first(table, columns);
        std::string all;
        for (const Row& row : table.rows) all += row.rule_above ? '1' : '0';
        return all;
    };
    CHECK(begins(1) == "10011");
    CHECK(begins(2) == "10111");
}

TEST_CASE("LaTeX: quantities, vectors and exponents are mathematics, words are not", "[table]") {
    CHECK(latex_text("|x + y|² at M = 2 d") == "$|x + y|^2$ at $M$ = 2 $d$");
    CHECK(latex_text("10⁻³, x², γ²") == "10$^{-3}$, $x^2$, $\\gamma$$^2$");
    CHECK(latex_text("error of K^ and |x|") == "error of $\\hat K$ and $|x|$");
    CHECK(latex_text("a time [s], A of d's, t2r, rank-k, c | d | e") ==
          "a time [s], A of d's, t2r, rank-k, c \\textbar{} $d$ \\textbar{} e");
    CHECK(latex_text("--set gammas=0.5") == "-{}-set gammas=0.5");
    CHECK(latex_number("-1.50 †") == "$-1.50$ $^\\dagger$");
}

TEST_CASE("LaTeX: labels can differ from names, and a table fits the width that there is", "[table]") {
    const Table table = demo();
    CHECK(contains(latex(table, {.label = "variance-demo"}), "\\label{tab:variance-demo}"));
    CHECK(!contains(latex(table), "resizebox"));
    Table wide{.name = "t"};
    wide.rows.emplace_back();
    for (int c = 0; c < 3; ++c) {
        wide.columns.push_back(word_column("column" + std::to_string(c)));
        wide.rows[0].entries.emplace_back(std::string(22, 'x'));
    }
    // 72 characters fit a page in footnotesize and no column.
    CHECK(!contains(latex(wide), "resizebox"));
    const std::string narrow = latex(wide, {.width = column_width});
    CHECK(contains(narrow, "\\resizebox{\\linewidth}{!}{%"));
    CHECK(contains(narrow, "\\end{tabular}}\n"));
    CHECK(contains(narrow, "\\usepackage{booktabs} and \\usepackage{graphicx}"));
    CHECK(count(narrow, "{") == count(narrow, "}"));
}

TEST_CASE("CSV: all digits, errors in columns of their own", "[table]") {
    const auto rows = csv_rows(csv(demo()));
    REQUIRE(rows.size() == 4);
    CHECK(rows[0] == std::vector<std::string>{"mechanism", "γ", "ln Var [nat]", "ln Var error [nat]", "share"});
    CHECK(rows[1] == std::vector<std::string>{"positive", "0.1", "1.2345", "0.056", "0.125"});
    CHECK(rows[2] == std::vector<std::string>{"a|b", "1", "", "", "NaN"});
    CHECK(rows[3][0] == "汉字, \"x\"");
    CHECK(std::stod(rows[3][2]) == -1.5e-7);
}

TEST_CASE("a column of whole numbers is written so, any other with the same digits in all rows", "[table]") {
    const Table table{.name = "digits",
                      .columns = {{"norm"}, {"M"}, {"loss"}},
                      .rows = {{{0.5, 64.0, Estimate{2, nan_value}}},
                               {{1.0, 128.0, Estimate{1.25, nan_value}}},
                               {{1.5, Missing{}, nan_value}},
                               {{2.0, 1e6, Estimate{3, 0.5}}}}};
    const auto lines = lines_of(terminal(table));
    const std::vector<std::vector<std::string>> expected{
        {"0.500", "64", "2.00"}, {"1.00", "128", "1.25"}, {"1.50", "–", "–"}, {"2.00", "1000000", "3.00 ± 0.50"}};
    for (std::size_t r = 0; r < expected.size(); ++r)
        for (const std::string& field : expected[r]) {
            INFO(lines[r + 3]);
            CHECK(contains(lines[r + 3], field));
        }
    CHECK_FALSE(contains(lines[3], "64.0"));
}

TEST_CASE("CSV has one number a field, marks and limits in fields of their own", "[table]") {
    const Table table{.name = "fields",
                      .columns = {{"gap", "s"}, {"share"}},
                      .rows = {{{Estimate{4.2, 75}, 0.5}},
                               {{Estimate{-1, 0.25, "*"}, Below{0.001}}},
                               {{Estimate{3, nan_value}, Missing{}}}}};
    const auto rows = csv_rows(csv(table));
    CHECK(rows[0] == std::vector<std::string>{"gap [s]", "gap error [s]", "gap mark", "share", "share upper limit"});
    CHECK(rows[1] == std::vector<std::string>{"4.2", "75", "", "0.5", ""});
    CHECK(rows[2] == std::vector<std::string>{"-1", "0.25", "*", "", "0.001"});
    CHECK(rows[3] == std::vector<std::string>{"3", "", "", "", ""});
}

TEST_CASE("CSV: what a spreadsheet would take for a formula is text, and numbers are numbers", "[table]") {
    const Table table{
        .name = "formulas",
        .columns = {{"=1+1"}},
        .rows = {{{"=SUM(A1)"}}, {{"@x,y"}}, {{"+a"}}, {{"-b"}}, {{"-1.5"}}, {{"+2"}}, {{"a=b"}}, {{""}}}};
    const auto rows = csv_rows(csv(table));
    const std::vector<std::string> expected{"'=1+1", "'=SUM(A1)", "'@x,y", "'+a", "'-b", "-1.5", "+2", "a=b", ""};
    for (std::size_t r = 0; r < expected.size(); ++r) CHECK(rows.at(r).at(0) == expected[r]);
}

TEST_CASE("on a terminal all lines of the body are equally wide", "[table]") {
    const auto lines = lines_of(terminal(demo()));
    REQUIRE(lines.size() == 10);
    CHECK(display_width(lines[1]) == display_width(lines[4]));
    CHECK(lines[6] == lines[1]);  // the rule between groups
    CHECK(display_width("汉字") == 4);
    CHECK(display_width("e\u0301γ±") == 3);
    CHECK(display_width("\xff\xfe") == 2);
}

TEST_CASE("a table writes its three files, twice the same", "[table]") {
    const TemporaryFolder folder;
    const TableFiles files = write_table(demo(), folder.path() / "new folder");
    CHECK(bytes_of(files.markdown) == markdown(demo()));
    CHECK(bytes_of(files.latex) == latex(demo()));
    CHECK(bytes_of(files.csv) == csv(demo()));
}

TEST_CASE("a table that does not fit is refused by row and column", "[table]") {
    const auto refusal = [](const Table& table) {
        return rfbench::tests::refusal<std::invalid_argument>([&] { check(table); });
    };
    Table table = demo();
    table.rows[1].entries.pop_back();
    CHECK(refusal(table) == "table 'demo': row 2 has 3 entries for 4 columns.");
    table = demo();
    table.columns[1].title = "mechanism";
    CHECK(refusal(table) == "table 'demo': two columns have the title 'mechanism'.");
    table = demo();
    table.columns[0].format.digits = 0;
    CHECK(refusal(table) == "table 'demo': column 'mechanism' asks for 0 digits; 1 to 17 are possible.");
    table.columns.clear();
    CHECK(refusal(table) == "table 'demo': it has no column.");
}
