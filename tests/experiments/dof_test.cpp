// The studies on degrees of freedom, on small configurations.
#include <omp.h>

#include <cmath>
#include <sstream>

#include "catch.hpp"
#include "configuration.hpp"
#include "sources/heads.hpp"
#include "dof/studies.hpp"
#include "sources/sequence_tasks.hpp"
#include "models/small_model.hpp"
#include "project.hpp"
#include "rfbench/config/error.hpp"

using namespace rfbench;
using namespace rfbench::experiments;

namespace {

Sweep prepared(const Study& study, const std::string& yaml) {
    return study.prepare(
        config::parse("experiment: dof\nstudy: " + study.name + "\n" + yaml, "test.yaml", schema_of(study)));
}

double value(const store::Dataset& data, const std::string& variable) { return data.variable(variable).values.front(); }

/// The result of the cell whose key has this part.
store::Dataset computed(const Sweep& sweep, const std::string& part) {
    for (const engine::Cell& cell : sweep.cells)
        if (cell.key.find(part) != std::string::npos) return sweep.compute(cell);
    FAIL("no cell has " << part);
    return {};
}

const std::string small_classifiers =
    "seed: 7\ndimension: 4\nsequences: 6\n"
    "trained: {steps: [0, 30], heads: 2, embedding: 6, values: 5, "
    "recall: {pairs: 3, keys: 4, values: 2, examples: 60}}\n";

/// Queries, keys and values of all heads and sequences, one after another.
std::vector<double> all_rows(const Study& study, const std::string& yaml) {
    const HeadInputs inputs(
        config::parse("experiment: dof\nstudy: " + study.name + "\n" + yaml, "test.yaml", schema_of(study)),
        Stream(1).child(study.name));
    const Index heads = inputs.layers() * inputs.heads();
    std::vector<std::vector<double>> of(static_cast<std::size_t>(heads));
#pragma omp parallel for schedule(dynamic)
    for (Index at = 0; at < heads; ++at)
        for (Index number = 0; number < inputs.sequences(); ++number) {
            const HeadSequence one = inputs.sequence(at / inputs.heads(), at % inputs.heads(), number);
            for (const Points& rows : {one.tokens.queries, one.tokens.keys, one.values})
                of[static_cast<std::size_t>(at)].insert(of[static_cast<std::size_t>(at)].end(), rows.data(),
                                                        rows.data() + rows.size());
        }
    std::vector<double> all;
    for (const auto& rows : of) all.insert(all.end(), rows.begin(), rows.end());
    return all;
}

const std::string small_heads = "scales: [1, 0.5]\ndecays: [0, 1]\ndimension: 4\nlength: 24\nsequences: 4\n";

}  // namespace

TEST_CASE("heads whose spectrum falls faster, or whose scale is smaller, have fewer degrees of freedom",
          "[experiments]") {
    const Sweep sweep = prepared(freedom_layers_study(), small_heads + "points: [96]\nlambdas: [0.1, 1]\n");
    CHECK(sweep.cells.size() == 4);
    const auto degrees = [&](const char* part) { return computed(sweep, part).variable("degrees").values; };
    const auto flat = degrees("layer=1,head=1"), steep = degrees("layer=1,head=2"), small = degrees("layer=2,head=1");
    for (std::size_t l = 0; l < 2; ++l) {
        CHECK(steep[l] < flat[l]);
        CHECK(small[l] < flat[l]);
    }
    CHECK(flat[1] < flat[0]);
    CHECK(computed(sweep, "layer=1,head=1").variable("degrees_undivided").values[0] > flat[0]);
    CHECK(flat == degrees("layer=1,head=1"));
}

TEST_CASE("allocations cost the same, and learned features have smaller errors than drawn ones", "[experiments]") {
    const Sweep sweep =
        prepared(freedom_error_study(), small_heads + "cost: 12\npoints: 64\ntests: 1\nsteps: 60\nsamples: 2\n");
    double fixed = 0, heads = 0;
    for (const engine::Cell& cell : sweep.cells) {
        if (cell.key.find("method=iid,sample=0") == std::string::npos) continue;
        const double features = value(sweep.compute(cell), "features");
        if (cell.key.find("allocation=Fix") != std::string::npos) fixed += features;
        if (cell.key.find("allocation=DoF of each head") != std::string::npos) heads += features;
    }
    CHECK(fixed == 48);
    CHECK(std::abs(heads - fixed) <= 2);  // rounding, a half for each of four heads
    const std::string head = "layer=1,head=1,allocation=Fix,method=";
    const double drawn = value(computed(sweep, head + "iid"), "divergence");
    CHECK(value(computed(sweep, head + "learned-softmax"), "divergence") < drawn);
    CHECK(value(computed(sweep, head + "learned-softmax"), "relative_output_error") > 0);
    // Same bits again, training included.
    CHECK(value(computed(sweep, head + "learned-squared"), "divergence") ==
          value(computed(sweep, head + "learned-squared"), "divergence"));
}

TEST_CASE("learned features are in the result, with the losses on the way to them", "[experiments]") {
    const Sweep sweep =
        prepared(freedom_learned_study(), small_heads + "features: 6\nsteps: 30\nlosses: learned-softmax\n");
    const store::Dataset data = sweep.compute(sweep.cells.front());
    check(data);
    CHECK(data.variable("points").values.size() == 24);
    CHECK(data.variable("log_weights").values.size() == 6);
    CHECK(data.variable("loss").values.size() == 30);
    CHECK(value(data, "after") < value(data, "before"));
}

TEST_CASE("the number of features that Theorem 3 asks for is run, or said to be too many", "[experiments]") {
    const Sweep sweep = prepared(freedom_bound_study(), "errors: [0.03, 1]\nmost: 10000\nsamples: 1\n");
    CHECK(computed(sweep, "t=1,form=printed").variable("features").values ==
          computed(sweep, "t=1,form=corrected").variable("features").values);
    CHECK(value(computed(sweep, "t=0.03,form=corrected"), "features") > 100000);
    CHECK(std::isnan(value(computed(sweep, "t=0.03,form=corrected"), "error")));
    CHECK(value(computed(sweep, "t=1,form=corrected"), "error") < 1);
}

TEST_CASE("more points than there are queries and keys are refused with their place", "[experiments]") {
    const auto refused = [](const Study& study, const std::string& yaml) {
        try {
            prepared(study, yaml);
        } catch (const config::Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(refused(freedom_layers_study(), small_heads + "points: [64, 500]\n")
              .find("4 sequences have 192 queries and keys") != std::string::npos);
    CHECK(refused(freedom_error_study(), small_heads + "tests: 4\n").find("leave none to fit to") != std::string::npos);
}

TEST_CASE("heads are those of a model that reads a text", "[experiments]") {
    const small_model::Folder folder;
    std::string text;
    for (int i = 0; i < 40; ++i) text += "the model reads " + std::to_string(i) + " words, ";
    folder.write("text", text);
    const std::string source =
        "model: " + folder.file("") + "\ntext: " + folder.file("text") + "\nlength: 8\nsequences: 3\n";
    const Sweep sweep = prepared(freedom_layers_study(), source + "points: [24]\nlambdas: 0.1\n");
    const auto& shape = small_model::reference()["shape"];
    CHECK(sweep.cells.size() == shape["n_layer"].get<std::size_t>() * shape["n_head"].get<std::size_t>());
    CHECK(sweep.data_hash.size() == 64);
    const double degrees = value(sweep.compute(sweep.cells.front()), "degrees");
    CHECK((degrees > 1 && degrees < 24));
    // Another text, another hash: results of the first are not taken for its own.
    folder.write("text", text + text);
    CHECK(prepared(freedom_layers_study(), source + "points: [24]\nlambdas: 0.1\n").data_hash != sweep.data_hash);
    const auto refusal = [&](const std::string& yaml) {
        try {
            prepared(freedom_layers_study(), yaml);
        } catch (const std::exception& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(refusal(source + "points: [100]\n").find("3 sequences have 48 queries and keys") != std::string::npos);
    CHECK(refusal("model: nowhere\ntext: " + folder.file("text") + "\n").find("nowhere") != std::string::npos);
    CHECK(refusal("model: " + folder.file("") + "\n").find("give both 'model' and 'text'") != std::string::npos);
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
    CHECK(all_rows(freedom_learned_study(), small_classifiers) == expected);
}

TEST_CASE("trained heads do not depend on threads, and are the same in all studies", "[experiments]") {
    std::vector<double> first;
    for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        const auto rows = all_rows(freedom_learned_study(), small_classifiers);
        if (first.empty()) first = rows;
        CHECK(rows == first);
    }
    omp_set_num_threads(omp_get_num_procs());
    CHECK(all_rows(freedom_error_study(), small_classifiers) == first);
    const Sweep layers = prepared(freedom_layers_study(), small_classifiers + "points: [48]\nlambdas: 0.1\n");
    CHECK(layers.cells.size() == 4);
    CHECK(layers.data_hash.empty());  // drawn sequences
    CHECK(value(computed(layers, "layer=1,head=1"), "degrees") != value(computed(layers, "layer=2,head=1"), "degrees"));
    const Sweep errors = prepared(freedom_error_study(), small_classifiers + "points: 24\nmethods: iid\n");
    CHECK(value(errors.compute(errors.cells.front()), "relative_output_error") > 0);
}

TEST_CASE("what trained heads cannot be is refused with its place", "[experiments]") {
    const auto refusal = [](const std::string& yaml) {
        try {
            prepared(freedom_layers_study(), yaml);
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
    says("trained: {recall: {pairs: 3, keys: 2}}\n", "3:36", "at least as many keys as pairs");
    says("trained: {recall: {examples: 30}}\nsequences: 11\n", "4:12", "but recall holds 10 out of training");
    says("trained: {}\nmodel: gpt2\ntext: a.txt\n", "3:10", "give 'trained', or 'model' and 'text', not both");
    says("trained: {task: recal}\n", "3:17", "recall");
    says("trained: {steps: [-1]}\n", "3:19", "-1");
}

TEST_CASE("a task without good data is refused at its place, with the ways to get them", "[experiments]") {
    std::ostringstream manifest;
    manifest << std::ifstream(project() / "data" / "manifest.yaml").rdbuf();
    std::string other = manifest.str();
    const std::string sum = "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8";  // of optdigits.tes
    REQUIRE(other.find(sum) != std::string::npos);
    other.replace(other.find(sum), sum.size(), std::string(sum.size(), '0'));
    const scene::Folder folder;  // a project for whose manifest no copy is good
    folder.write("data/manifest.yaml", other);
    const auto here = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    std::string refusal;
    try {
        prepared(freedom_layers_study(), "trained: {task: digits}\npoints: [64]\n");
    } catch (const config::Error& error) {
        refusal = error.what();
    }
    std::filesystem::current_path(here);
    INFO(refusal);
    CHECK(refusal.find("test.yaml:3:17") != std::string::npos);
    CHECK(refusal.find("rfbench data fetch optdigits") != std::string::npos);
}
