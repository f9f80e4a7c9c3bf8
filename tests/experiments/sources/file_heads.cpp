// Heads of a file.
#include <fmt/format.h>

#include <limits>

#include "catch.hpp"
#include "datasets/scene.hpp"
#include "experiments/cells.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/sha256.hpp"
#include "sources/heads.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using rfbench::tests::contains;

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

namespace {

/// An .npz file with these members, each a type, a shape and bytes.
struct Member {
    std::string name, type, shape, bytes;
};
std::string npz(const std::vector<Member>& members) {
    std::vector<std::pair<std::string, std::string>> files;
    for (const Member& one : members) files.emplace_back(one.name + ".npy", scene::npy(one.type, one.shape, one.bytes));
    return scene::zipped(files);
}

/// `count` doubles from `first` on, in steps of 1/8.
std::string numbers(std::size_t count, double first = 0) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(first + static_cast<double>(i) / 8);
    return scene::bytes_of(values);
}

std::string mask(const std::vector<std::int64_t>& entries) { return scene::bytes_of(entries); }

std::shared_ptr<const HeadSource> heads_of(const std::string& file, const std::string& more = "") {
    return head_source(parsed(layers_study(), "heads: {use: file, file: " + file + more + "}\n"), Stream(1));
}

}  // namespace

TEST_CASE("a star stands for the numbers of the layers, in their order", "[experiments]") {
    const tests::TemporaryFolder folder;
    std::vector<Member> members;
    for (const int layer : {10, 8, 9})  // not as text is ordered
        for (const char* name : {"q", "k", "v"})
            members.push_back({fmt::format("h.{}.{}", layer, name), "<f8", "2, 3, 2", numbers(12, layer * 100)});
    members.push_back({"h.x.q", "<f8", "2,", numbers(2)});  // no layer's number
    folder.write("heads", npz(members));
    const std::string star = ", queries: h.*.q, keys: h.*.k, values: h.*.v";
    const auto source = heads_of(folder.file("heads"), star);
    CHECK((source->layers() == 3 && source->heads() == 1 && source->sequences() == 2 && source->length() == 3));
    for (Index layer = 0; layer < 3; ++layer)
        CHECK(source->sequence(layer, 0, 1).tokens.keys(0, 1) == 800 + 100 * static_cast<double>(layer) + 7.0 / 8);
    // Some of them are known by the numbers that they have among all.
    const auto last = heads_of(folder.file("heads"), star + ", layers: 3");
    CHECK((last->layers() == 1 && last->label(0, 0) == "layer 3, head 1" && last->layer_setting(0) == "layer 2"));
    CHECK(last->sequence(0, 0, 0).values(0, 0) == 1000);
    CHECK(
        contains(refused(layers_study(), "heads: {use: file, file: " + folder.file("heads") + star + ", layers: 4}\n"),
                 "heads.layers: there are 3 layers"));
}

TEST_CASE("arrays of a star have a layer each, whatever their axes are called", "[experiments]") {
    const tests::TemporaryFolder folder;
    const auto members = [](const char* shape) {
        std::vector<Member> all;
        for (const int layer : {0, 1})
            for (const char* name : {"q", "k", "v"})
                all.push_back({fmt::format("{}.{}", name, layer), "<f8", shape, numbers(12, layer * 100)});
        return all;
    };
    const std::string star = ", queries: q.*, keys: k.*, values: v.*, axes: [layer, token, d]}\n";
    const auto entry = [&](const char* name, const char* shape) {
        return "heads: {use: file, file: " + folder.write(name, npz(members(shape))) + star;
    };
    const auto one = head_source(parsed(layers_study(), entry("one", "1, 6, 2")), Stream(1));
    CHECK((one->layers() == 2 && one->sequence(1, 0, 0).values(0, 0) == 100));
    const std::string said =
        tests::refusal([&] { head_source(parsed(layers_study(), entry("two", "2, 3, 2")), Stream(1)); });
    INFO(said);
    CHECK(contains(said, ":q.0: has 2 layers by 'axes', and the star stands for the layer's number"));
}

TEST_CASE("padding is left out: heads are those of a file of the tokens that count", "[experiments]") {
    const tests::TemporaryFolder folder;
    const auto members = [&](const std::string& shape, const std::string& q, const std::string& v) {
        return std::vector<Member>{
            {"queries", "<f8", shape, q}, {"keys", "<f8", shape, v}, {"values", "<f8", shape, q}};
    };
    auto padded = members("1, 2, 3, 2", numbers(12), numbers(12, 50));
    padded.push_back({"attention_mask", "<i8", "2, 3", mask({1, 1, 0, 0, 1, 0})});
    const auto source = heads_of(folder.write("padded", npz(padded)));
    CHECK((source->length() == 2 && source->tokens(0) == 2 && source->tokens(1) == 1 && source->points() == 6));
    const HeadSequence first = source->sequence(0, 0, 0), second = source->sequence(0, 0, 1);
    CHECK((first.tokens.queries.rows() == 2 && second.values.rows() == 1 && second.tokens.keys.rows() == 1));
    CHECK((first.tokens.queries(1, 0) == 2.0 / 8 && second.tokens.keys(0, 1) == 50 + 9.0 / 8));
    const Points all = source->sample(0, 0, 2, 6, Stream(1));
    CHECK(all.sum() == first.tokens.queries.sum() + first.tokens.keys.sum() + second.tokens.queries.sum() +
                           second.tokens.keys.sum());
    // Under another name it must be said, and it may be truth values.
    padded.back() = {"mask", "|b1", "2, 3", std::string("\1\0\0\1\1\1", 6)};
    folder.write("named", npz(padded));
    CHECK(heads_of(folder.file("named"))->points() == 12);
    CHECK(heads_of(folder.file("named"), ", attention_mask: mask")->points() == 8);
}

TEST_CASE("heads that are malformed are refused with the file, the array and the entry", "[experiments]") {
    const tests::TemporaryFolder folder;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Member q{"queries", "<f8", "2, 3, 2", numbers(12)}, k{"keys", "<f8", "2, 3, 2", numbers(12)},
        v{"values", "<f8", "2, 3, 2", numbers(12)};
    const std::vector<double> with_nan{0, 1, 2, 3, nan, 5, 6, 7, 8, 9, 10, 11};
    const std::vector<Eigen::half> overflowed(12, Eigen::half(7e4f));  // the largest half is 65504
    const auto masked = [&](const std::string& shape, const std::vector<std::int64_t>& entries) {
        return npz({q, k, v, {"attention_mask", "<i8", shape, mask(entries)}});
    };
    struct Case {
        std::string bytes, more, expected;
    };
    const Case cases[] = {
        {"queries, keys\n", "", ": is neither HDF5 nor .npz nor safetensors"},
        {"\x89HDF\r\n\x1a\nand no more", "", ": cannot be opened as HDF5"},
        {npz({q, k}), "", ":values: there is no such array; there are queries, keys."},
        {npz({q, k, v}), ", queries: querys",
         ":querys: there is no such array; there are queries, keys, values. Did you"},
        {npz({q, {"keys", "<f8", "2, 3, 2", scene::bytes_of(with_nan)}, v}), "", ":keys[0, 2, 0]: is nan; every"},
        {npz({{"queries", "<f2", "2, 3, 2", scene::bytes_of(overflowed)}, k, v}), "", ":queries[0, 0, 0]: is inf"},
        {npz({q, {"keys", "<f8", "2, 2, 3", numbers(12)}, v}), "",
         ":keys: is 1 x 1 x 2 x 2 x 3 [layer, head, sequence, token, d]; queries are 1 x 1 x 2 x 3 x 2"},
        {npz({q, {"keys", "<f8", "2, 3, 3", numbers(18)}, v}), "", ":keys: is 1 x 1 x 2 x 3 x 3 [layer, head"},
        {npz({q, k, {"values", "<f8", "3, 2, 2", numbers(12)}}), "", ":values: is 1 x 1 x 3 x 2 x 2"},
        {npz({{"queries", "<f8", "12,", numbers(12)}, k, v}), "", ":queries: has the shape 12; [layer, head"},
        {npz({{"queries", "<f8", "1, 1, 1, 2, 3, 2", numbers(12)}, k, v}), "", ":queries: has the shape 1 x 1 x 1 x 2"},
        {npz({{"queries", "<f8", "2, 3, 2", numbers(11)}, k, v}), "", ":queries: has 88 bytes for 12 numbers of 8"},
        {npz({{"queries", "|O", "2, 3, 2", numbers(12)}, k, v}), "", ":queries: is of type '|O'"},
        {npz({q, k, v}), ", queries: h.*.q", ":h.*.q: there is no such array with a layer's number for the star"},
        {npz({{"h.0.q", "<f8", "3, 2", numbers(6)}, {"h.2.q", "<f8", "3, 2", numbers(6)}, k, v}), ", queries: h.*.q",
         ":h.*.q: there are layers 0 and 2, but none between them"},
        {npz({{"h.0.q", "<f8", "3, 2", numbers(6)}, {"h.1.q", "<f8", "2, 3", numbers(6)}, k, v}), ", queries: h.*.q",
         ":h.1.q: is 1 x 1 x 2 x 3; the layers before it are 1 x 1 x 3 x 2"},
        {masked("3, 2", {1, 1, 1, 1, 1, 1}), "", ":attention_mask: has the shape 3 x 2; [sequence, token] is wanted"},
        {masked("2, 3", {1, 1, 1, 1, 2, 1}), "", ":attention_mask[1, 1]: is 2; 1 keeps a token"},
        {masked("2, 3", {1, 1, 1, 0, 0, 0}), "", ":attention_mask[1]: keeps no token of this sequence"},
        {npz({q, k, v}), ", attention_mask: mask", ":mask: there is no such array"},
    };
    for (const Case& one : cases) {
        const std::string file = folder.write("heads", one.bytes);
        const std::string text = tests::refusal<FileError>([&] { heads_of(file, one.more); });
        INFO(text);
        CHECK(contains(text, file + one.expected));
    }
}

TEST_CASE("axes of a file in another order are named, and what is read is told", "[experiments]") {
    const tests::TemporaryFolder folder;
    // [sequence, token, head, d] = 2 x 3 x 2 x 1, entry number n is n.
    std::vector<double> entries;
    for (int n = 0; n < 12; ++n) entries.push_back(n);
    const std::string array = scene::npy("<f8", "2, 3, 2, 1", scene::bytes_of(entries));
    const std::string file =
        folder.write("h.npz", scene::zipped({{"queries.npy", array}, {"keys.npy", array}, {"values.npy", array}}));
    const auto source = [&](const std::string& axes) {
        return head_source(
            parsed(layers_study(), "heads: {use: file, file: " + file + axes + "}\npoints: 4\nlambdas: 1\n"),
            Stream(1));
    };
    const auto named = source(", axes: [sequence, token, head, d]");
    CHECK((named->heads() == 2 && named->sequences() == 2 && named->length() == 3 && named->dimension() == 1));
    // Token 2 of sequence 1 of head 1 is entry ((1 * 3) + 2) * 2 + 1.
    CHECK(named->sequence(0, 1, 1).tokens.queries(2, 0) == 11);
    CHECK(named->notes() == std::vector<std::string>{file + ": 1 layer of 2 heads, 2 sequences of 3 tokens, d = 1"});
    CHECK(source("")->notes() ==
          std::vector<std::string>{file + ": 1 layer of 2 heads, 3 sequences of 2 tokens, d = 1"});
    CHECK_THROWS_WITH(source(", axes: [token, head, d]"),
                      Catch::Contains(":queries: has the shape 2 x 3 x 2 x 1; 'axes' names 3 axes"));
    CHECK(contains(refused([&] { source(", axes: [head, token]"); }), "heads.axes: 'd' is missing"));
}
