#include "rfbench/datasets/libsvm.hpp"

#include "catch.hpp"
#include "rfbench/datasets/infer.hpp"
#include "rfbench/datasets/points.hpp"
#include "scene.hpp"

using namespace rfbench;
using namespace rfbench::datasets;
using scene::said;

namespace {

const std::string rows = "# written by svmlight\n+1 2:0.5 4:-2e1 # first\n\n1\n-1 1:1 \r\n";

}  // namespace

TEST_CASE("LIBSVM's rows are a table of a target and as many features as the largest index says") {
    const SeenTable seen = look_at(rows, "x.txt");
    CHECK(describe(seen, "x.txt") ==
          "x.txt: 3 rows of 5 columns, in LIBSVM's sparse rows, no missing values\n"
          "  target: numbers from -1 to 1, 2 different\n"
          "  feature 1: numbers from 0 to 1, 2 different\n"
          "  feature 2: numbers from 0 to 0.5, 2 different\n"
          "  feature 3: numbers from 0 to 0, 1 different\n"
          "  feature 4: numbers from -20 to 0, 2 different\n");
    const ColumnChoice choice{"target", {}, {}};
    const Table table = read_table(rows, layout_of(seen, choice, "x.txt"), "x.txt");
    // +1 and 1 are one class.
    CHECK(table.class_names == std::vector<std::string>{"1", "-1"});
    CHECK(table.classes == std::vector<int>{0, 0, 1});
    const Points values = (Points(3, 4) << 0, 0.5, 0, -20, 0, 0, 0, 0, 1, 0, 0, 0).finished();
    CHECK(table.values == values);
    CHECK(read_points_text(rows, "x.txt") == values);
    // Indices from 0, as scikit-learn writes them unless it is told otherwise.
    CHECK(read_points_text("2 0:1 2:3\n0 1:4\n", "x") == (Points(2, 3) << 1, 0, 3, 0, 4, 0).finished());
    CHECK(look_at("2 0:1\n", "x").columns[1].name == "feature 0");
}

TEST_CASE("text that begins with a number and no entries is none of LIBSVM's") {
    for (const char* text : {"1\n2\n", "1 2\n3 4\n", "1,2:3\n", "x 1:2\n", "1 a:2\n", "12 10.5:3\n", ""}) {
        INFO(text);
        CHECK(!is_libsvm(text));
    }
    CHECK(is_libsvm("1\n\n# c\n0\n-1 3:4\n"));
}

TEST_CASE("LIBSVM's rows that are wrong are refused with their place") {
    const std::pair<const char*, const char*> wrong[] = {
        {"1 1:2\n1 3:1 2:1\n", "x:2:3: index 2 stands after 3; the indices of a row must grow"},
        {"1 1:2\n1 3:1 3:1\n", "x:2:3: index 3 stands after 3; the indices of a row must grow"},
        {"1 1:2\n1 2:x\n", "x:2:2: 'x' is not a number"},
        {"1 1:2\n1 2:nan\n", "x:2:2: 'nan' is not finite; every number must be"},
        {"1 1:2\n1 -2:1\n", "x:2:2: '-2:1' has an index that is no whole number"},
        {"1 1:2\n1 2\n", "x:2:2: '2' is no entry of a sparse row, which is index:value"},
        {"1 1:2\ntwo 1:2\n", "x:2:1: 'two' is not a number"},
        {"1,2 1:2\n", "x:1:1: '1,2' has several targets; rows of one are read"},
        {"1 qid:3 1:2\n", "x:1:2: 'qid:3' names a query of a ranking; rows of queries are not read, take it out"},
        {"1 1:2\n1 4000000000:1\n",
         "x: would be 2 rows of 4000000000 numbers with all zeros, 60 GiB; at most 8 GiB are read"},
        {"1 0:1 5:2 18446744073709551615:3\n",
         "x: would be 1 rows of 18446744073709551616 numbers with all zeros, 137438953472 GiB; at most 8 GiB are "
         "read"}};
    for (const auto& one : wrong) {
        INFO(one.second);
        CHECK(said([&] { read_points_text(one.first, "x"); }) == one.second);
    }
    CHECK(said([&] { look_at("1 0:1 5:2 18446744073709551615:3\n", "x"); }).starts_with("x: would be 1 rows of"));
    CHECK(read_points_text("1\n2 3:1\n", "x") == (Points(2, 3) << 0, 0, 0, 0, 0, 1).finished());
}
