#include "rfbench/datasets/infer.hpp"

#include <fmt/format.h>

#include "catch.hpp"
#include "scene.hpp"
#include "support/growth.hpp"

using namespace rfbench;
using namespace rfbench::datasets;
using scene::said;

namespace {

const std::string cars = "id,weight,doors,colour,class\na,1.5,2,red,good\nb,-2e3,more,blue,bad\nc,0,4,red,good\n";
const ColumnChoice choice{"class", {"doors"}, {"id"}};

std::string seen(const std::string& text) {
    return said([&] { look_at(text, "x.csv"); });
}
std::string chosen(const std::string& text, const ColumnChoice& own) {
    return said([&] { layout_of(look_at(text, "x.csv"), own, "x.csv"); });
}

}  // namespace

TEST_CASE("columns are numbers where all fields are, else words in order of first appearance") {
    const SeenTable table = look_at(cars, "x.csv");
    CHECK(table.separator == Separator::comma);
    CHECK(table.rows == 3);
    REQUIRE(table.columns.size() == 5);
    CHECK(table.columns[1].is_numbers());
    CHECK(table.columns[1].least == -2000);
    CHECK(table.columns[1].greatest == 1.5);
    CHECK(table.columns[2].is_mixed());
    CHECK(table.columns[2].number_line == 2);
    CHECK(table.columns[2].word_line == 3);
    CHECK(table.columns[3].words == std::vector<std::string>{"red", "blue"});
    CHECK(table.columns[3].word_rows == std::vector<std::size_t>{2, 1});

    CHECK(look_at("a\nx\ny\ny\n", "x.csv").columns[0].word_rows == std::vector<std::size_t>{1, 2});

    const Table read = read_table(cars, layout_of(table, choice, "x.csv"), "x.csv");
    CHECK(read.class_names == std::vector<std::string>{"good", "bad"});
    CHECK(read.classes == std::vector<int>{0, 1, 0});
    CHECK(read.values == (Points(3, 3) << 1.5, 0, 0, -2000, 1, 1, 0, 2, 0).finished());

    std::string tabs = cars;
    for (char& c : tabs) c = c == ',' ? '\t' : c;
    CHECK(read_table(tabs, layout_of(look_at(tabs, "x.tsv"), choice, "x.tsv"), "x.tsv").values == read.values);
}

TEST_CASE("what is seen of a file is described: columns, kinds, words and their rows") {
    CHECK(describe(look_at(cars, "x.csv"), "x.csv") ==
          "x.csv: 3 rows of 5 columns, separated by comma, no missing values\n"
          "  id: 3 words: a (1), b (1), c (1)\n"
          "  weight: numbers from -2000 to 1.5, 3 different\n"
          "  doors: 3 words: 2 (1), more (1), 4 (1); some are numbers (line 2): list it in 'categories'\n"
          "  colour: 2 words: red (2), blue (1)\n"
          "  class: 2 words: good (2), bad (1)\n");
}

TEST_CASE("missing values, names that are none and ragged lines are refused with line and column") {
    CHECK(chosen("a,b\n1,\n2,x\n3,\n", {"b", {}, {}}) ==
          "x.csv:2:2: '' in column 'b' is a missing value, one of 2; fill them in, drop their rows (missing: drop) or "
          "ignore the column");
    for (const char* missing : {"?", "NA", "nan", "NULL", "n/a"})
        CHECK(chosen(std::string("a,b\n1,2\n3,") + missing + "\n", {"a", {}, {}}).starts_with("x.csv:3:2: '"));
    CHECK(seen("a,b\n1,inf\n").starts_with("x.csv:2:2: "));
    CHECK(seen("a,b\n1,1e999\n").starts_with("x.csv:2:2: "));
    CHECK(seen("a,b\n1,2,3\n") == "x.csv:2: has 3 fields separated by comma; the first line names 2 columns");
    CHECK(seen("a,b\n\n1,2\n").starts_with("x.csv:2: the line is blank"));
    CHECK(seen("a,a\n1,2\n") == "x.csv:1:2: an earlier column is called 'a' too");
    CHECK(seen("a,\n1,2\n").starts_with("x.csv:1:2: the column has no name"));
    CHECK(seen("a,b\n1,\"x\n").starts_with("x.csv:2:2: "));
    CHECK(seen("a,b\n1,\"x\"\"y\"\n").starts_with("x.csv:2:2: "));
    CHECK(seen("a;b\n1,5;x\n") == "x.csv:2:1: '1,5' has a decimal comma; numbers are written with a point");
    CHECK(seen("a,b\n") == "x.csv: has names of columns but no rows");
    CHECK(seen("").starts_with("x.csv:1: "));
}

TEST_CASE("what cannot be the class or an input is refused with its place") {
    CHECK(chosen(cars, {"class", {}, {"id"}}) ==
          "x.csv:3:3: column 'doors' has numbers (line 2) and words (line 3); list it in 'categories' if it is one, or "
          "in "
          "'ignored'");
    CHECK(chosen(cars, {"klass", {"doors"}, {}}).ends_with("Did you mean 'class'?"));
    CHECK(chosen(cars, {"class", {"class"}, {}}) ==
          "x.csv:1:5: column 'class' is given as the class and as a category");
    CHECK(chosen("a,class\n1,x\n2,x\n", {"class", {}, {}}).starts_with("x.csv:1:2: every row is of the class 'x'"));
    CHECK(chosen("a,class\n1,x\n2,y\n", {"class", {}, {"a"}}) == "x.csv:1: no column is left beside the class");
    std::string names = "name,class\n";
    for (std::size_t i = 0; i <= max_words; ++i) names += "n" + std::to_string(i) + (i % 2 == 0 ? ",x\n" : ",y\n");
    CHECK(chosen(names, {"class", {}, {}}).starts_with("x.csv:1:1: column 'name', a category, has more than 1000"));
    CHECK(chosen(names, {"name", {}, {}}).starts_with("x.csv:1:1: column 'name', the class, has more than 1000"));
}

TEST_CASE("semicolons and quotation marks are read as other programs write them") {
    const std::string text = "\"size\";\"a;b\";\"kind\"\n1.5;\"x;y\";good\n\"2\";z;\"bad\"\n";
    const SeenTable table = look_at(text, "x.csv");
    CHECK(table.separator == Separator::semicolon);
    CHECK(table.columns[1].name == "a;b");
    CHECK(table.columns[1].words == std::vector<std::string>{"x;y", "z"});
    const Table read = read_table(text, layout_of(table, {"kind", {}, {}}, "x.csv"), "x.csv");
    CHECK(read.values == (Points(2, 2) << 1.5, 0, 2, 1).finished());
    CHECK(read.class_names == std::vector<std::string>{"good", "bad"});
}

TEST_CASE("a file without a line of names has columns by number; names that are numbers stay names") {
    const std::string text = "1.5,red,x\n2,blue,y\n";
    const SeenTable table = look_at(text, "x.csv");
    CHECK(table.rows == 2);
    CHECK(table.header_lines == 0);
    CHECK(table.columns[2].name == "column 3");
    CHECK(read_table(text, layout_of(table, {"column 3", {}, {}}, "x.csv"), "x.csv").classes == std::vector<int>{0, 1});
    CHECK(describe(table, "x.csv")
              .starts_with("x.csv: 2 rows of 3 columns, separated by comma, no missing values, no "
                           "line of names\n"));
    CHECK(look_at("kind,1990\nx,1\n", "x.csv", {"kind", {}, {}}).columns[1].name == "1990");
    CHECK(look_at("kind,1990\nx,1\n", "x.csv").rows == 2);
    CHECK(look_at("kind,1990\n3,2\n", "x.csv").rows == 1);
}

TEST_CASE("columns that are ignored are not looked at, and rows with a missing value are dropped where that is said") {
    const std::string text = "a,thal,kind\n1,?,x\n?,2,y\n3,NA,x\n4,\"b,y\n";
    CHECK(seen(text).starts_with("x.csv:5"));
    const std::string whole = "a,thal,kind\n1,?,x\n?,2,y\n3,inf,x\n4,\"b,y\n5,1,y\n";
    const ColumnChoice own{"kind", {}, {"thal"}, true};
    const Table table = read_table(whole, layout_of(look_at(whole, "x.csv", own), own, "x.csv"), "x.csv");
    CHECK(table.dropped == 1);
    CHECK(table.values == (Points(4, 1) << 1, 3, 4, 5).finished());
    CHECK(table.classes == std::vector<int>{0, 0, 1, 1});
    CHECK(describe(look_at("a,b\n?,1\n2,\n,3\n", "x.csv"), "x.csv") ==
          "x.csv: 3 rows of 2 columns, separated by comma, 3 missing values\n"
          "  a: 2 missing (line 2), numbers from 2 to 2, 1 different\n"
          "  b: 1 missing (line 3), numbers from 1 to 3, 2 different\n");
}

TEST_CASE("a label with fractions is a number to be predicted, whole numbers are classes, unless it is said") {
    const std::string real = "a,y\n1,0.5\n2,7\n", whole = "a,y\n1,3\n2,7\n";
    const auto is_real = [](const std::string& text, Target target) {
        const ColumnChoice own{"y", {}, {}, false, target};
        return read_table(text, layout_of(look_at(text, "x.csv", own), own, "x.csv"), "x.csv").real_label;
    };
    CHECK(is_real(real, Target::inferred));
    CHECK(!is_real(real, Target::classes));
    CHECK(!is_real(whole, Target::inferred));
    CHECK(is_real(whole, Target::number));
    CHECK(chosen("a,y\n1,x\n2,7\n", {"y", {}, {}, false, Target::number}) ==
          "x.csv:2:2: column 'y' is given as a number to be predicted; this field is none");
    // As many different ones as there are rows.
    std::string many = "a,y\n";
    for (std::size_t i = 0; i < 2 * max_words; ++i) many += fmt::format("{},{}.5\n", i, i);
    CHECK(is_real(many, Target::inferred));
    // As many classes are too many, of whole numbers as of words.
    std::string whole_ones = "a,y\n";
    for (std::size_t i = 0; i <= max_words; ++i) whole_ones += fmt::format("{},{}\n", i % 7, i);
    CHECK(is_real(whole_ones, Target::number));
    for (const Target target : {Target::inferred, Target::classes}) {
        const ColumnChoice own{"y", {}, {}, false, target};
        CHECK(said([&] { layout_of(look_at(whole_ones, "x.csv", own), own, "x.csv"); }) ==
              "x.csv:1:2: column 'y', the class, has more than 1000 different numbers; take it for a number to be "
              "predicted (target: number)");
    }
}

TEST_CASE("the time to look at a table grows as its columns do, and that to choose among them") {
    using namespace rfbench::tests;
    const auto wide = [](std::size_t columns) {
        std::string names = "class", rows[2] = {"a", "b"};
        for (std::size_t i = 0; i < columns; ++i) {
            names += ",c" + std::to_string(i);
            for (std::string& row : rows) row += ",1";
        }
        return names + "\n" + rows[0] + "\n" + rows[1] + "\n";
    };
    CHECK(growth(4000, 32000, [&](std::size_t n) { look_at(wide(n), "x.csv"); }) < linear_or_quadratic);
    CHECK(growth(4000, 32000, [&](std::size_t n) {
              ColumnChoice all{"class", {}, {}};
              for (std::size_t i = 0; i < n; ++i) all.categories.push_back("c" + std::to_string(i));
              layout_of(look_at(wide(n), "x.csv"), all, "x.csv");
          }) < linear_or_quadratic);
}
