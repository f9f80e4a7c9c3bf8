// Heads of a file.
#include "catch.hpp"
#include "experiments/cells.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/sha256.hpp"
#include "sources/heads.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;

namespace {

const Study& layers_study() { return find("dof", "layers"); }

std::vector<double> numbered_labels(std::size_t n) {
    std::vector<double> labels;
    for (std::size_t i = 0; i < n; ++i) labels.push_back(static_cast<double>(i));
    return labels;
}

}  // namespace

TEST_CASE("heads of a file are the rows that stand there; shapes that do not fit are refused", "[experiments]") {
    const tests::TemporaryFolder folder;
    // [layer, head, sequence, token, d] = 1 x 2 x 3 x 4 x 2, values with 3 columns; entry number n is n, 1000 + n, -n.
    const auto array = [](const char* name, std::size_t columns, double from, double step) {
        store::Variable variable{name, {"layer", "head", "sequence", "token", std::string(name) + "_d"}, {}, "", ""};
        for (std::size_t n = 0; n < 24 * columns; ++n) variable.values.push_back(from + step * static_cast<double>(n));
        return variable;
    };
    const auto labels = [](std::size_t n) { return numbered_labels(n); };
    store::Dataset data;
    data.axes = {{"layer", labels(1), "", ""},   {"head", labels(2), "", ""},      {"sequence", labels(3), "", ""},
                 {"token", labels(4), "", ""},   {"queries_d", labels(2), "", ""}, {"keys_d", labels(2), "", ""},
                 {"values_d", labels(3), "", ""}};
    data.variables = {array("queries", 2, 0, 0.01), array("keys", 2, 10, 0.01), array("values", 3, 0, -1)};
    store::write(folder.file("heads.h5"), data);
    const std::string yaml = "heads: {use: file, file: " + folder.file("heads.h5") + "}\npoints: 8\nlambdas: 0.1\n";
    const auto source = head_source(parsed(layers_study(), yaml), Stream(1));
    CHECK((source->layers() == 1 && source->heads() == 2 && source->sequences() == 3));
    CHECK((source->length() == 4 && source->dimension() == 2));
    const HeadSequence one = source->sequence(0, 1, 2);
    const auto row = static_cast<double>((1 * 3 + 2) * 4 + 3);  // the last token
    CHECK(one.tokens.queries(3, 1) == 0.01 * (2 * row + 1));
    CHECK(one.tokens.keys(3, 0) == 10 + 0.01 * (2 * row));
    CHECK(one.values(3, 2) == -(3 * row + 2));
    CHECK(prepared(layers_study(), yaml).data.front().front() == store::sha256_file(folder.file("heads.h5")));

    const std::string exchanged =
        "heads: {use: file, queries: values, values: queries, file: " + folder.file("heads.h5");
    CHECK_THROWS_WITH(
        prepared(layers_study(), exchanged + "}\npoints: 8\nlambdas: 0.1\n"),
        Catch::Contains(":keys: is 1 x 2 x 3 x 4 x 2 [layer, head, sequence, token, d]; queries are 1 x 2 "
                        "x 3 x 4 x 3"));
    CHECK_THROWS_WITH(prepared(layers_study(), exchanged + ", keys: token}\npoints: 8\nlambdas: 0.1\n"),
                      Catch::Contains(":token: has the shape 4; [layer, head, sequence, token, d] is wanted"));
}
