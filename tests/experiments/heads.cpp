// Where heads come from: a model, a file, classifiers that are trained first; several sources side by side.
#include "sources/heads.hpp"

#include <omp.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "dof_studies.hpp"
#include "models/small_model.hpp"
#include "project.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/config/error.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/sha256.hpp"
#include "rfbench/training/classifier.hpp"
#include "rfbench/training/recall.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::dof_studies;

namespace {

const std::string small_classifiers =
    "seed: 7\n"
    "heads: {use: trained, dimension: 4, sequences: 6, steps: [0, 30], heads: 2, embedding: 6, values: 5, "
    "recall: {pairs: 3, keys: 4, values: 2, examples: 60}}\n";

/// Queries, keys and values of all heads and sequences, one after another.
std::vector<double> all_rows(const Study& study, const std::string& yaml) {
    const auto source = head_source(parsed(study, yaml), Stream(1).child(study.name));
    const Index heads = source->layers() * source->heads();
    std::vector<std::vector<double>> of(static_cast<std::size_t>(heads));
#pragma omp parallel for schedule(dynamic)
    for (Index at = 0; at < heads; ++at)
        for (Index number = 0; number < source->sequences(); ++number) {
            const HeadSequence one = source->sequence(at / source->heads(), at % source->heads(), number);
            for (const Points& rows : {one.tokens.queries, one.tokens.keys, one.values})
                of[static_cast<std::size_t>(at)].insert(of[static_cast<std::size_t>(at)].end(), rows.data(),
                                                        rows.data() + rows.size());
        }
    std::vector<double> all;
    for (const auto& rows : of) all.insert(all.end(), rows.begin(), rows.end());
    return all;
}

std::vector<double> numbered_labels(std::size_t n) {
    std::vector<double> labels;
    for (std::size_t i = 0; i < n; ++i) labels.push_back(static_cast<double>(i));
    return labels;
}

}  // namespace

TEST_CASE("heads are those of a model that reads a text", "[experiments]") {
    const small_model::Folder folder;
    std::string text;
    for (int i = 0; i < 40; ++i) text += "the model reads " + std::to_string(i) + " words, ";
    folder.write("text", text);
    const std::string source = "heads: {use: model, folder: " + folder.file("") + ", text: " + folder.file("text") +
                               ", length: 8, sequences: 3}\n";
    const Sweep sweep = prepared(layers_study(), source + "points: [24]\nlambdas: 0.1\n");
    const auto& shape = small_model::reference()["shape"];
    CHECK(sweep.cells().size() == shape["n_layer"].get<std::size_t>() * shape["n_head"].get<std::size_t>());
    CHECK(sweep.data_hash.size() == 64);
    const double degrees = value(computed(sweep, sweep.cells().front()), "degrees");
    CHECK((degrees > 1 && degrees < 24));
    // Another text, another hash: results of the first are not taken for its own.
    folder.write("text", text + text);
    CHECK(prepared(layers_study(), source + "points: [24]\nlambdas: 0.1\n").data_hash != sweep.data_hash);
    const auto refusal = [&](const std::string& yaml) {
        try {
            prepared(layers_study(), yaml);
        } catch (const std::exception& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(refusal(source + "points: [100]\n").find("3 sequences have 48 queries and keys") != std::string::npos);
    CHECK(refusal("heads: {use: model, folder: nowhere, text: " + folder.file("text") + "}\n").find("nowhere") !=
          std::string::npos);
    CHECK(refusal("heads: {use: model, folder: " + folder.file("") + "}\n").find("heads.text: this key is missing") !=
          std::string::npos);
}

TEST_CASE("heads of several sources stand side by side, each with its own length and dimension", "[experiments]") {
    const small_model::Folder folder;
    std::string text;
    for (int i = 0; i < 40; ++i) text += "the model reads " + std::to_string(i) + " words, ";
    folder.write("text", text);
    const Study& study = find("attention", "error");
    const std::string model = "{use: model, folder: " + folder.file("") + ", text: " + folder.file("text") +
                              ", length: 8, sequences: 2, layers: 2, heads: [1, 2]}";
    const std::string rest = "methods: [positive]\nsamplings: iid\ncolumns: 16\nrepeats: 3\n";
    const auto config =
        parsed(study, "heads: [{use: normal, dimension: 3, length: 12, scales: [0.5, 1]}, " + model + "]\n" + rest);
    const Sweep sweep = study.prepare(config);
    CHECK(sweep.data_hash.size() == 64);
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
        const auto map = method->features(head.tokens.queries, head.tokens.keys)(16, sampling::find("iid"),
                                                                                 own.child("iid").child(16).child(d));
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
                      Catch::Contains("heads.layers: the model has "));
}

TEST_CASE("heads of a file are the rows that stand there; shapes that do not fit are refused", "[experiments]") {
    const scene::Folder folder;
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
    CHECK(prepared(layers_study(), yaml).data_hash == store::sha256_file(folder.file("heads.h5")));

    const std::string exchanged =
        "heads: {use: file, queries: values, values: queries, file: " + folder.file("heads.h5");
    CHECK_THROWS_WITH(
        prepared(layers_study(), exchanged + "}\npoints: 8\nlambdas: 0.1\n"),
        Catch::Contains(":keys: is 1 x 2 x 3 x 4 x 2 [layer, head, sequence, token, d]; queries are 1 x 2 "
                        "x 3 x 4 x 3"));
    CHECK_THROWS_WITH(prepared(layers_study(), exchanged + ", keys: token}\npoints: 8\nlambdas: 0.1\n"),
                      Catch::Contains(":token: has the shape 4; [layer, head, sequence, token, d] is wanted"));
}

TEST_CASE("trained heads are those of the classifier that the configuration names, bit for bit", "[experiments]") {
    const training::Recall recall{3, 4, 2};
    const Stream stream = Stream(7).child("dof/trained"), data = stream.child("data");
    const auto training = recall_examples(recall, 40, data.child("training"));
    const auto test = recall_examples(recall, 20, data.child("test"));
    const training::Classifier classifier({4, 7, 2, 6, 4, 5, training::Pooling::last}, training::softmax_attention());
    std::vector<double> expected;
    for (const int steps : {0, 30})
        for (std::uint64_t head = 0; head < 2; ++head) {
            const Stream own = stream.child("training").child(head);
            const training::Descent descent{.steps = steps, .rate = 0.01};
            const Vector parameters = steps == 0 ? classifier.start(own.child("start"))
                                                 : train(classifier, training, descent, own).parameters;
            for (std::size_t i = 0; i < 6; ++i) {
                const auto rows = classifier.head_rows(parameters, test[i]);
                for (const Points& part : {rows.queries, rows.keys, rows.values})
                    expected.insert(expected.end(), part.data(), part.data() + part.size());
                // The kernel of the study, exp(q.k / sqrt d), is the one that the classifier attends with; scores below
                // 10, of four products each, are rounded by less than 1e-14.
                Points attended;
                const attention::Inputs<double> in{rows.queries, rows.keys, rows.values};
                training::softmax_attention()->forward({}, in, attention::Visible::all, attended);
                const Points kernel = (rows.queries * rows.keys.transpose() / 2).array().exp();
                const Points exact = kernel.rowwise().sum().cwiseInverse().asDiagonal() * kernel * rows.values;
                CHECK((attended - exact).cwiseAbs().maxCoeff() < 1e-13 * rows.values.cwiseAbs().maxCoeff());
            }
        }
    CHECK(all_rows(learned_study(), small_classifiers) == expected);
}

TEST_CASE("trained heads do not depend on threads, and are the same in all studies", "[experiments]") {
    std::vector<double> first;
    for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        const auto rows = all_rows(learned_study(), small_classifiers);
        if (first.empty()) first = rows;
        CHECK(rows == first);
    }
    omp_set_num_threads(omp_get_num_procs());
    CHECK(all_rows(error_study(), small_classifiers) == first);
    const Sweep layers = prepared(layers_study(), small_classifiers + "points: [48]\nlambdas: 0.1\n");
    CHECK(layers.cells().size() == 4);
    CHECK(layers.data_hash.empty());  // drawn sequences
    CHECK(value(computed(layers, {"layer=1", "head=1"}), "degrees") !=
          value(computed(layers, {"layer=2", "head=1"}), "degrees"));
    const Sweep errors = prepared(error_study(), small_classifiers + "points: 24\nmethods: [positive]\n");
    CHECK(value(computed(errors, errors.cells().front()), "relative_output_error") > 0);
}

TEST_CASE("what trained heads cannot be is refused with its place", "[experiments]") {
    const auto refusal = [](const std::string& yaml) {
        try {
            prepared(layers_study(), yaml);
        } catch (const config::Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const auto says = [&](const std::string& yaml, const std::string& place, const std::string& sentence) {
        const std::string all = refusal(yaml);
        INFO(all);
        CHECK(all.find("test.yaml:" + place) != std::string::npos);
        CHECK(all.find(sentence) != std::string::npos);
    };
    says("heads: {use: trained, recall: {pairs: 3, keys: 2}}\n", "3:48", "at least as many keys as pairs");
    says("heads: {use: trained, recall: {examples: 30}, sequences: 11}\n", "3:58",
         "but recall holds 10 out of training");
    says("heads: {use: trained, folder: gpt2}\n", "3:23", "'trained' takes no such key");
    says("heads: {use: trained, task: recal}\n", "3:29", "recall");
    says("heads: {use: trained, steps: [-1]}\n", "3:31", "-1");
}

TEST_CASE("a task without good data is refused at its place, with the ways to get them", "[experiments]") {
    std::ostringstream manifest;
    manifest << std::ifstream(project() / "data" / "manifest.yaml").rdbuf();
    std::string other = manifest.str();
    const std::string sum = "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8";  // of optdigits.tes
    REQUIRE(other.find(sum) != std::string::npos);
    other.replace(other.find(sum), sum.size(), std::string(sum.size(), '0'));
    const tests::TemporaryFolder folder;  // a project for whose manifest no copy is good
    folder.write("data/manifest.yaml", other);
    const auto here = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    std::string refusal;
    try {
        prepared(layers_study(), "heads: {use: trained, task: digits}\npoints: [64]\n");
    } catch (const config::Error& error) {
        refusal = error.what();
    }
    std::filesystem::current_path(here);
    INFO(refusal);
    CHECK(refusal.find("test.yaml:3:29") != std::string::npos);
    CHECK(refusal.find("rfbench data fetch optdigits") != std::string::npos);
}
