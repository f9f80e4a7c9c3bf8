#include "rfbench/datasets/arff.hpp"

#include "catch.hpp"
#include "rfbench/datasets/infer.hpp"
#include "rfbench/datasets/points.hpp"
#include "scene.hpp"

using namespace rfbench;
using namespace rfbench::datasets;
using scene::said;

namespace {

/// As OpenML writes them: comments, quotation marks, missing values, any case.
const std::string flowers =
    "\xef\xbb\xbf% Iris plants\r\n\n@RELATION 'iris plants'\n"
    "@attribute 'petal length' REAL\n@Attribute \"width\"\tNumeric [0,9]\n"
    "@attribute colour {red, 'light blue', '1', unseen}\n@attribute id string\n"
    "  @attribute class {setosa,virginica,'it\\'s'}\n@DATA\n% rows\n"
    "1.5, -2e1,'light blue','a, b',virginica\n?,4,1,\"c\",'it\\'s'\n3,5,red,d,virginica\n";
const ColumnChoice dropped{"class", {}, {"id"}, true};

std::string refusal(const std::string& declarations, const std::string& rows) {
    return said([&] { look_at("@relation r\n" + declarations + "@data\n" + rows, "x.arff"); });
}

}  // namespace

TEST_CASE("ARFF is a table: types and the order of values are the declared ones, ? alone is missing") {
    const SeenTable seen = look_at(flowers, "x.arff", dropped);
    CHECK(describe(seen, "x.arff") ==
          "x.arff: 3 rows of 5 columns, in ARFF, 1 missing value\n"
          "  petal length: 1 missing (line 12), numbers from 1.5 to 3, 2 different\n"
          "  width: numbers from -20 to 5, 3 different\n"
          "  colour: 3 words: red (1), light blue (1), 1 (1)\n"
          "  id: 0 words\n"
          "  class: 2 words: virginica (2), it's (1)\n");
    const Table table = read_table(flowers, layout_of(seen, dropped, "x.arff"), "x.arff");
    CHECK(table.dropped == 1);
    CHECK(table.values == (Points(2, 3) << 1.5, -20, 1, 3, 5, 0).finished());
    CHECK(table.class_names == std::vector<std::string>{"virginica", "it's"});
    CHECK(table.classes == std::vector<int>{0, 0});
    CHECK(said([&] {
              layout_of(seen, {"class", {}, {"id"}}, "x.arff");
          }).starts_with("x.arff:12:1: '?' in column 'petal length' is a missing value, one of 1"));
    // A class without a value is refused, even where rows with a missing value are dropped.
    const std::string none = "@relation r\n@attribute a numeric\n@attribute class {x,y}\n@data\n1,?\n2,?\n";
    const ColumnChoice all_dropped{"class", {}, {}, true};
    CHECK(said([&] { layout_of(look_at(none, "x.arff", all_dropped), all_dropped, "x.arff"); }) ==
          "x.arff:5:2: column 'class' has a value in no row; ignore it");
    const std::string empty = "a,class\n1,?\n2,NA\n";
    CHECK(said([&] { layout_of(look_at(empty, "x.csv", all_dropped), all_dropped, "x.csv"); }) ==
          "x.csv:2:2: column 'class' has a value in no row; ignore it");
    // Words that are missing values elsewhere are values here, and nominal numbers are no numbers.
    const SeenTable words = look_at("@relation r\n@attribute a {NA,none}\n@attribute b {1,2}\n@data\nNA,2\n", "x");
    CHECK(words.columns[0].missing == 0);
    CHECK(!words.columns[1].is_numbers());
}

TEST_CASE("a sparse row of ARFF has zeros, and first values, where nothing is said") {
    const std::string text =
        "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@attribute c real\n@attribute d {n,p}\n@data\n"
        "{1 y, 2 0.5}\n{}\n{0 -1,3 p}\n{2 ?, 3 n}\n";
    const ColumnChoice choice{"d", {}, {}, true};
    const Table table = read_table(text, layout_of(look_at(text, "x", choice), choice, "x"), "x");
    CHECK(table.values == (Points(3, 3) << 0, 1, 0.5, 0, 0, 0, -1, 0, 0).finished());
    CHECK(table.classes == std::vector<int>{0, 0, 1});
    CHECK(table.dropped == 1);
}

TEST_CASE("ARFF that is wrong is refused with its place") {
    const std::string a = "@attribute a numeric\n", ab = a + "@attribute b {x,yes}\n";
    const std::tuple<std::string, std::string, const char*> wrong[] = {
        {ab, "1,x\n2,yess\n",
         "x.arff:6:2: 'yess' is no value of attribute 'b', whose values line 3 declares: x, yes. "
         "Did you mean 'yes'?"},
        {ab, "one,x\n", "x.arff:5:1: 'one' is not a number"},
        {ab, "1,x,2\n", "x.arff:5: has 3 fields; 2 attributes are declared"},
        {ab, "1,x,{3}\n", "x.arff:5:3: '{3}' is the weight of a row; rows with weights are not read"},
        {ab, "1,\n", "x.arff:5:2: the field is empty; a missing value is written as ?"},
        {ab, "1,'x\n", "x.arff:5:2: ''x' begins with a quotation mark that does not end with the word"},
        {ab, "{0 1, 0 2}\n", "x.arff:5:2: attribute 0 stands too late; they must grow"},
        {ab, "{2 1}\n", "x.arff:5:1: '2' is the number of no attribute; there are 0 to 1"},
        {ab, "{1 x\n", "x.arff:5: is a sparse row that does not end with '}'"},
        {ab + "@attribute s string\n", "{1 x}\n", "x.arff:6: leaves out attribute 2, 's'"},
        {a + "@attribute b relational\n", "1,2\n", "x.arff:3:3: 'relational' is no type of an attribute"},
        {a + "@attribute b reel\n", "1,2\n", "Did you mean 'real'?"},
        {a + "@attribute a real\n", "1,2\n", "x.arff:3:2: the attribute of line 2 is called 'a' too"},
        {a + "@attribute b {x,x}\n", "1,x\n", "x.arff:3:4: the value 'x' is declared twice"},
        {a + "@attribute b {x,\n", "1,x\n", "x.arff:3:3: the list of values does not end with '}' on its line"},
        {a + "@atribute b real\n", "1,2\n", "x.arff:3:1: '@atribute' is no statement of ARFF"},
        {"", "1\n", "x.arff: declares no attribute"},
        {a, "% none\n", "x.arff: has no rows after @data"}};
    for (const auto& [declarations, rows, sentence] : wrong) {
        INFO(sentence);
        CHECK(refusal(declarations, rows).find(sentence) != std::string::npos);
    }
}

TEST_CASE("points of ARFF are its numbers; words are refused unless the numeric attributes are asked for") {
    const scene::Folder folder;
    const std::string file =
        folder.write("p.data", "@relation r\n@attribute a real\n@attribute b {x}\n@attribute c real\n@data\n1\tx\t2\n");
    CHECK(said([&] { read_points(file); }) == file + ":3:3: attribute 'b' has words, and a point has numbers alone; " +
                                                  file + ":numeric are the numeric attributes");
    CHECK(read_points(file + ":numeric") == (Points(1, 2) << 1, 2).finished());
    CHECK(said([&] { read_points(file + ":a"); }).ends_with("'numeric' takes all that are numbers"));
    CHECK(said([] { read_points_text("@relation r\n@attribute a real\n@data\n1\n?\n", "x"); }) ==
          "x:5:1: attribute 'a' is missing (?); every coordinate of a point is needed");
}
