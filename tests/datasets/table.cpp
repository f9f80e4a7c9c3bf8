#include "rfbench/datasets/table.hpp"

#include "catch.hpp"
#include "scene.hpp"

using namespace rfbench::datasets;
using scene::said;

namespace {

Layout layout(Separator separator = Separator::comma) {
    return {separator,
            0,
            {{"name", ColumnType::ignored, {}},
             {"size", ColumnType::number, {}},
             {"colour", ColumnType::category, {"red", "green", "blue"}},
             {"kind", ColumnType::label, {"b", "a"}}}};
}

std::string refused_rows(const std::string& text) {
    return said([&] { read_table(text, layout(), "t.data"); });
}

}  // namespace

TEST_CASE("A table has numbers as they are and codes in declared order, for every separator") {
    const std::pair<Separator, const char*> cases[] = {{Separator::comma, "x,1.5,blue,a\ny,-2,red,b\n"},
                                                       {Separator::tab, "x\t1.5\tblue\ta\r\ny\t-2\tred\tb"},
                                                       {Separator::spaces, "x  1.5   blue a\ny  -2   red b\n\n"}};
    for (const auto& [separator, text] : cases) {
        const Table table = read_table(text, layout(separator), "t.data");
        REQUIRE(table.values.rows() == 2);
        REQUIRE(table.values.cols() == 2);
        CHECK(table.values(0, 0) == 1.5);
        CHECK(table.values(0, 1) == 2);
        CHECK(table.values(1, 0) == -2);
        CHECK(table.values(1, 1) == 0);
        CHECK(table.classes == std::vector<int>{1, 0});
        CHECK(table.class_names == std::vector<std::string>{"b", "a"});
        CHECK(table.columns[1].name == "colour");
        CHECK(class_counts(table) == std::vector<std::size_t>{1, 1});
    }
}

TEST_CASE("Header lines are passed over and still counted in places") {
    Layout with_header = layout();
    with_header.header_lines = 1;
    CHECK(read_table("anything at all\nx,1,red,a\n", with_header, "t.data").classes.size() == 1);
    CHECK(said([&] { read_table("head\nx,?,red,a\n", with_header, "t.data"); }) == "t.data:2:2: '?' is not a number");
    CHECK(said([&] { read_table("head\n", with_header, "t.data"); }) == "t.data: holds no rows");
}

TEST_CASE("Malformed tables are refused by file, row and column") {
    CHECK(refused_rows("") == "t.data: holds no rows");
    CHECK(refused_rows("\n\n") == "t.data: holds no rows");
    CHECK(refused_rows("x,1,red,a\n\ny,2,red,b\n") == "t.data:2: the line is blank; blank lines may only end the file");
    CHECK(refused_rows("x,1,red,a\ny,2,red\n") == "t.data:2: has 3 columns separated by comma; 4 are declared");
    CHECK(refused_rows("x,1,red,a,\n") == "t.data:1: has 5 columns separated by comma; 4 are declared");
    CHECK(refused_rows("x 1 red a\n") == "t.data:1: has 1 column separated by comma; 4 are declared");
    CHECK(refused_rows("x,1,red,a\ny,,red,b\n") == "t.data:2:2: the field is empty; a number is needed");
    CHECK(refused_rows("x,NaN,red,a\n") == "t.data:1:2: 'NaN' is not finite; every number must be");
    CHECK(refused_rows("x,inf,red,a\n") == "t.data:1:2: 'inf' is not finite; every number must be");
    CHECK(refused_rows("x,1e400,red,a\n") == "t.data:1:2: '1e400' is outside the range of a double");
    CHECK(refused_rows("x,one,red,a\n") == "t.data:1:2: 'one' is not a number");
    CHECK(refused_rows("x,1,gren,a\n") ==
          "t.data:1:3: 'gren' is no category of column 'colour'; allowed: red, green, blue. Did you mean 'green'?");
    CHECK(refused_rows("x,1,,a\n") == "t.data:1:3: '' is no category of column 'colour'; allowed: red, green, blue.");
    CHECK(refused_rows("x,1,red,c\n") == "t.data:1:4: 'c' is no class; allowed: b, a.");
    CHECK(refused_rows("x,1,Red,a\n") ==
          "t.data:1:3: 'Red' is no category of column 'colour'; allowed: red, green, blue. Did you mean 'red'?");
    CHECK(refused_rows(std::string("x,1\0,red,a\n", 11)) == "t.data:1:2: '1\\x00' is not a number");
    CHECK(refused_rows("x,1,red,a\ny,2,red,\n") == "t.data:2:4: '' is no class; allowed: b, a.");
    CHECK(refused_rows("x,1,red,a\ny,2,red,A\n") == "t.data:2:4: 'A' is no class; allowed: b, a. Did you mean 'a'?");
    CHECK(refused_rows("x,1,red,a\r\ny,1.2.3,red,b\r\n") == "t.data:2:2: '1.2.3' is not a number");
    CHECK(refused_rows("x,1,red,a\ny,2 3,red,b\n") == "t.data:2:2: '2 3' is not a number");
    CHECK(refused_rows("x,\"1,red,a\n") == "t.data:1:2: '\"1' is not a number");
    CHECK(refused_rows("x,-inf,red,a\n") == "t.data:1:2: '-inf' is not finite; every number must be");
    CHECK(refused_rows("x,1;5,red,a\n") == "t.data:1:2: '1;5' is not a number");
    CHECK(refused_rows("name,size,colour,kind\nx,1,red,a\n") == "t.data:1:2: 'size' is not a number");
    CHECK(refused_rows("x,1,red,a\ry,2,red,b\n") == "t.data:1: has 7 columns separated by comma; 4 are declared");
}

TEST_CASE("A layout without exactly one label, or a category without values, is a mistake of the caller") {
    Layout none = layout();
    none.columns.pop_back();
    CHECK_THROWS_AS(read_table("x,1,red\n", none, "t"), std::invalid_argument);
    Layout empty = layout();
    empty.columns[2].categories.clear();
    CHECK_THROWS_AS(read_table("x,1,red,a\n", empty, "t"), std::invalid_argument);
}
