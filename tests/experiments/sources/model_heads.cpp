// Heads of a model that reads a text, alone and beside other sources.
#include "catch.hpp"
#include "experiments/cells.hpp"
#include "models/small_model.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/errors.hpp"
#include "sources/heads.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using rfbench::tests::contains;

namespace {

const Study& layers_study() { return find("dof", "layers"); }

const std::string text = [] {
    std::string words;
    for (int i = 0; i < 40; ++i) words += "the model reads " + std::to_string(i) + " words, ";
    return words;
}();

}  // namespace

TEST_CASE("heads are those of a model that reads a text", "[experiments]") {
    const small_model::Folder folder;
    folder.write("text", text);
    const std::string source = "heads: {use: model, folder: " + folder.file("") + ", text: " + folder.file("text") +
                               ", length: 8, sequences: 3}\n";
    const Sweep sweep = prepared(layers_study(), source + "points: [24]\nlambdas: 0.1\n");
    const auto& shape = small_model::reference()["shape"];
    CHECK(sweep.cells().size() == shape["n_layer"].get<std::size_t>() * shape["n_head"].get<std::size_t>());
    const auto hash = [](const Sweep& of) { return of.data.front().front(); };
    CHECK(hash(sweep).size() == 64);
    const double degrees = value(computed(sweep, sweep.cells().front()), "degrees");
    CHECK((degrees > 1 && degrees < 24));
    // Another text, another hash: results of the first are not taken for its own.
    folder.write("text", text + text);
    CHECK(hash(prepared(layers_study(), source + "points: [24]\nlambdas: 0.1\n")) != hash(sweep));
    CHECK(contains(refused(layers_study(), source + "points: [100]\n"), "3 sequences have 48 queries and keys"));
    const auto nowhere = [&] {
        prepared(layers_study(), "heads: {use: model, folder: nowhere, text: " + folder.file("text") + "}\n");
    };
    CHECK(contains(tests::refusal<FileError>(nowhere), "nowhere"));
    CHECK(contains(refused(layers_study(), "heads: {use: model, folder: " + folder.file("") + "}\n"),
                   "heads.text: this key is missing"));
}

TEST_CASE("heads of several sources stand side by side, each with its own length and dimension", "[experiments]") {
    const small_model::Folder folder;
    folder.write("text", text);
    const Study& study = find("attention", "error");
    const std::string model = "{use: model, folder: " + folder.file("") + ", text: " + folder.file("text") +
                              ", length: 8, sequences: 2, layers: 2, heads: [1, 2]}";
    const std::string rest = "methods: [positive]\nsamplings: iid\ncolumns: 16\nrepeats: 3\n";
    const auto config =
        parsed(study, "heads: [{use: normal, dimension: 3, length: 12, scales: [0.5, 1]}, " + model + "]\n" + rest);
    const Sweep sweep = study.prepare(config);
    CHECK((sweep.data.front()[0].empty() && sweep.data.front()[2].size() == 64));
    CHECK(std::get<std::vector<std::string>>(sweep.axes.front().labels) ==
          std::vector<std::string>{"d = 3, sd 0.5", "d = 3, sd 1", "layer 2, head 1", "layer 2, head 2"});
    // The error of a head is that of its own tokens; of two sequences the third repeat takes the first again.
    const HeadList list(config, head_streams(Stream(0)));
    const PlacedHead& placed = list.heads.values[3];
    for (const std::uint64_t repeat : {0, 1, 2}) {
        const HeadSequence head = placed.source->sequence(0, 1, static_cast<Index>(repeat % 2));
        Points exact, out;
        attention::exact<double>(head.inputs(), attention::Visible::all, exact);
        const MethodChoice method = methods(config, study.methods).front();
        const auto d = static_cast<std::uint64_t>(placed.source->dimension());
        const Stream own = study_stream(config, "attention/error").child(repeat).child("features").child("positive");
        const auto map = method->head_features()->features(head.tokens.queries, head.tokens.keys)(
            16, sampling::find("iid"), own.child("iid").child(16).child(d));
        attention::linear<double>(*map, head.inputs(), attention::Visible::all, out);
        const std::string label = std::to_string(repeat);
        CHECK(value(computed(sweep, {"head=layer 2, head 2", "repeat=" + label}), "relative_output_error") ==
              Approx((out - exact).norm() / exact.norm()).epsilon(1e-9));
    }
    // Twice the same label says nothing.
    CHECK_THROWS_WITH(study.prepare(parsed(study, "heads: [{use: normal}, {use: normal, length: 9}]\n" + rest)),
                      Catch::Contains("an earlier source has a head 'd = 16, sd 1' too; give this one a label"));
    CHECK_THROWS_WITH(study.prepare(parsed(study, "heads: {use: model, folder: " + folder.file("") + ", text: " +
                                                      folder.file("text") + ", length: 8, layers: 99}\n" + rest)),
                      Catch::Contains("heads.layers: there are "));
}
