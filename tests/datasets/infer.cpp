#include "rfbench/datasets/infer.hpp"

#include "catch.hpp"
#include "scene.hpp"

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
    CHECK(seen("a,b\n1,\n") == "x.csv:2:2: '' in column 'b' is a missing value; fill it in or leave the row out");
    for (const char* missing : {"?", "NA", "nan", "NULL", "n/a"})
        CHECK(seen(std::string("a,b\n1,2\n3,") + missing + "\n").starts_with("x.csv:3:2: '"));
    CHECK(seen("a,b\n1,inf\n").starts_with("x.csv:2:2: "));
    CHECK(seen("a,b\n1,1e999\n").starts_with("x.csv:2:2: "));
    CHECK(seen("a,b\n1,2,3\n") == "x.csv:2: has 3 fields separated by comma; the first line names 2 columns");
    CHECK(seen("a,b\n\n1,2\n").starts_with("x.csv:2: the line is blank"));
    CHECK(seen("a,a\n1,2\n") == "x.csv:1:2: an earlier column is called 'a' too");
    CHECK(seen("a,\n1,2\n").starts_with("x.csv:1:2: the column has no name"));
    CHECK(seen("1,2\n3,4\n") == "x.csv:1:1: '1' is a number; the first line names the columns");
    CHECK(seen("a,b\n1,\"x\"\n").starts_with("x.csv:2:2: "));
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
    for (std::size_t i = 0; i <= most_words; ++i) names += "n" + std::to_string(i) + (i % 2 == 0 ? ",x\n" : ",y\n");
    CHECK(chosen(names, {"class", {}, {}}).starts_with("x.csv:1:1: column 'name', a category, has more than 1000"));
    CHECK(chosen(names, {"name", {}, {}}).starts_with("x.csv:1:1: column 'name', the class, has more than 1000"));
}
