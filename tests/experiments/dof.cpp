// The studies on degrees of freedom, on small configurations.
#include <omp.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <sstream>

#include "catch.hpp"
#include "cells.hpp"
#include "models/small_model.hpp"
#include "project.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/config/error.hpp"
#include "rfbench/dof/operator_error.hpp"
#include "rfbench/dof/optimal_density.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/sha256.hpp"
#include "rfbench/training/classifier.hpp"
#include "rfbench/training/point_training.hpp"
#include "rfbench/training/recall.hpp"
#include "sources/heads.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;

namespace {

const Study& layers_study() { return find("dof", "layers"); }
const Study& error_study() { return find("dof", "error"); }
const Study& learned_study() { return find("dof", "learned"); }
const Study& bound_study() { return find("dof", "bound"); }

Sweep prepared(const Study& study, const std::string& yaml) { return study.prepare(parsed(study, yaml)); }

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

const std::string small_heads =
    "heads: {use: decaying, scales: [1, 0.5], decays: [0, 1], dimension: 4, length: 24, sequences: 4}\n";

std::vector<double> numbered_labels(std::size_t n) {
    std::vector<double> labels;
    for (std::size_t i = 0; i < n; ++i) labels.push_back(static_cast<double>(i));
    return labels;
}

}  // namespace

TEST_CASE("heads whose spectrum falls faster, or whose scale is smaller, have fewer degrees of freedom",
          "[experiments]") {
    const Sweep sweep = prepared(layers_study(), small_heads + "points: [96]\nlambdas: [0.1, 1]\n");
    CHECK(sweep.cells().size() == 4);
    const auto degrees = [&](const char* layer, const char* head) {
        return values(computed(sweep, {layer, head}), "degrees");
    };
    const auto flat = degrees("layer=1", "head=1"), steep = degrees("layer=1", "head=2"),
               small = degrees("layer=2", "head=1");
    for (std::size_t l = 0; l < 2; ++l) {
        CHECK(steep[l] < flat[l]);
        CHECK(small[l] < flat[l]);
    }
    CHECK(flat[1] < flat[0]);
    CHECK(computed(sweep, {"layer=1", "head=1"}).variable("degrees_undivided").values[0] > flat[0]);
    CHECK(flat == degrees("layer=1", "head=1"));
}

TEST_CASE("allocations cost the same, and learned features have smaller errors than drawn ones", "[experiments]") {
    const Sweep sweep =
        prepared(error_study(), small_heads + "columns: 12\npoints: 64\ntests: 1\nsteps: 60\nrepeats: 2\n");
    double fixed = 0, heads = 0;
    for (const engine::Cell& cell : sweep.cells()) {
        if (cell.key.find("method=iid,repeat=0") == std::string::npos) continue;
        const double features = value(computed(sweep, cell), "features");
        if (cell.key.find("allocation=Fix") != std::string::npos) fixed += features;
        if (cell.key.find("allocation=DoF of each head") != std::string::npos) heads += features;
    }
    CHECK(fixed == 48);
    CHECK(std::abs(heads - fixed) <= 2);  // rounding, a half for each of four heads
    const auto of = [&](const char* method, const char* variable) {
        return value(computed(sweep, {"layer=1", "head=1", "allocation=Fix", std::string("method=") + method}),
                     variable);
    };
    CHECK(of("learned-softmax", "divergence") < of("iid", "divergence"));
    // Same bits again, training included.
    CHECK(of("learned-squared", "divergence") == of("learned-squared", "divergence"));
}

TEST_CASE("learned features are in the result, with the losses on the way to them", "[experiments]") {
    const Sweep sweep = prepared(learned_study(), small_heads + "columns: 6\nsteps: 30\nmethods: [learned-points]\n");
    const store::Dataset data = computed(sweep, sweep.cells().front());
    check(data);
    CHECK(data.variable("points").values.size() == 24);
    CHECK(data.variable("log_weights").values.size() == 6);
    CHECK(data.variable("loss").values.size() == 30);
    CHECK(value(data, "after") < value(data, "before"));
}

TEST_CASE("the number of features that Theorem 3 asks for is run, or said to be too many", "[experiments]") {
    const Sweep sweep = prepared(bound_study(), "errors: [0.03, 1]\nmost: 10000\nrepeats: 1\n");
    CHECK(computed(sweep, {"t=1", "form=printed"}).variable("features").values ==
          computed(sweep, {"t=1", "form=corrected"}).variable("features").values);
    CHECK(value(computed(sweep, {"t=0.03", "form=corrected"}), "features") > 100000);
    CHECK(std::isnan(value(computed(sweep, {"t=0.03", "form=corrected"}), "error")));
    CHECK(value(computed(sweep, {"t=1", "form=corrected"}), "error") < 1);
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
    CHECK(refused(layers_study(), small_heads + "points: [64, 500]\n").find("4 sequences have 192 queries and keys") !=
          std::string::npos);
    CHECK(refused(error_study(), small_heads + "tests: 4\n").find("leave none to fit to") != std::string::npos);
}

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
                const attention::Inputs<double> in{rows.queries, rows.keys, rows.values};
                const Points attended =
                    training::softmax_attention()->forward(Vector(), in, attention::Visible::all)->output;
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

namespace {

/// exp(q.k / sqrt d), zero where a key is later than the query.
Points causal_kernel(const Points& queries, const Points& keys) {
    Points kernel = (queries * keys.transpose() / std::sqrt(static_cast<double>(queries.cols()))).array().exp();
    for (Index i = 0; i < kernel.rows(); ++i) kernel.row(i).tail(kernel.cols() - i - 1).setZero();
    return kernel;
}

/// Features phi(x; z) sqrt(alpha / M), written out.
Points features_at(const Points& rows, const dof::WeightedFeatures& at) {
    const double d = static_cast<double>(rows.cols());
    Points exponent = rows * at.points / std::pow(d, 0.25);
    exponent.colwise() -= rows.rowwise().squaredNorm() / (2 * std::sqrt(d));
    exponent.rowwise() += at.log_weights.transpose() / 2;
    return exponent.array().exp() / std::sqrt(static_cast<double>(at.points.cols()));
}

Points causal_estimate(const HeadSequence& of, const dof::WeightedFeatures& features) {
    Points kernel = features_at(of.tokens.queries, features) * features_at(of.tokens.keys, features).transpose();
    for (Index i = 0; i < kernel.rows(); ++i) kernel.row(i).tail(kernel.cols() - i - 1).setZero();
    return kernel;
}

/// Rows divided by their sums.
Points shares(const Points& kernel) { return kernel.rowwise().sum().cwiseInverse().asDiagonal() * kernel; }

/// The mean over queries of the divergence of the estimate's weights from softmax's.
double divergence(const Points& exact, const Points& estimate) {
    const Points p = shares(exact), q = shares(estimate);
    double sum = 0;
    for (Index i = 0; i < p.rows(); ++i)
        for (Index j = 0; j <= i; ++j) sum += p(i, j) * std::log(p(i, j) / q(i, j));
    return sum / static_cast<double>(p.rows());
}

double kernel_loss(const Points& exact, const Points& estimate) {
    return (estimate - exact).squaredNorm() / exact.squaredNorm();
}

Projections normal(Index d, Index count, const char* sampling, const Stream& stream) {
    return features::draw(*features::fit(features::find("positive"), {}), d, count, sampling::find(sampling), stream)
        .omega;
}

Stream own_stream(const char* study, std::uint64_t layer, std::uint64_t head) {
    return Stream(1).child(study).child("features").child(layer).child(head);
}

training::PointTraining small_training(dof::Loss loss) {
    training::PointTraining settings;
    settings.loss = loss;
    settings.steps = 20;
    settings.batch = 2;
    settings.rate = 0.05;
    return settings;
}

}  // namespace

TEST_CASE("dof/layers: degrees of freedom are traces of written-out Gram matrices", "[experiments]") {
    const std::string yaml = small_heads + "points: [40, 96]\nlambdas: [0.1, 1]\n";
    const Sweep sweep = prepared(layers_study(), yaml);
    const Stream seed = Stream(1).child("dof/layers");
    const auto source = head_source(parsed(layers_study(), yaml), seed);
    for (const Index count : {40, 96}) {
        const auto data = computed(sweep, {"layer=2", "head=1", "points=" + std::to_string(count)});
        const Points points = source->sample(1, 0, 4, count, seed.child("sample").child(1).child(std::uint64_t{0}));
        // Nothing is taken twice.
        for (Index i = 1; i < count; ++i)
            CHECK((points.topRows(i).rowwise() - points.row(i)).rowwise().squaredNorm().minCoeff() > 0);
        const Eigen::MatrixXd gram = (points * points.transpose() / 2).array().exp();
        const auto degrees = [&](double ridge) {
            Eigen::MatrixXd regularised = gram;
            regularised.diagonal().array() += ridge;
            return (gram * regularised.inverse()).trace();
        };
        const auto j = static_cast<double>(count);
        for (std::size_t l : {0, 1}) {
            const double lambda = l == 0 ? 0.1 : 1;
            CHECK(values(data, "degrees")[l] == Approx(degrees(j * lambda)).epsilon(1e-9));
            CHECK(values(data, "degrees_undivided")[l] == Approx(degrees(lambda)).epsilon(1e-9));
        }
        CHECK(value(data, "log_trace") == Approx(std::log(gram.trace() / j)).epsilon(1e-12));
        CHECK(value(data, "head_size") == 4);
    }
}

TEST_CASE("dof/error: every variable is what written-out kernels give, of sequences that nothing is fitted to",
          "[experiments]") {
    const std::string yaml = small_heads + "columns: 10\npoints: 64\ntests: 2\nsteps: 20\nrepeats: 2\n";
    const Sweep sweep = prepared(error_study(), yaml);
    const Stream seed = Stream(1).child("dof/error");
    const auto source = head_source(parsed(error_study(), yaml), seed);
    const Stream stream = own_stream("dof/error", 0, 1).child(std::uint64_t{10}).child(std::uint64_t{1});
    const Points points = source->sample(0, 1, 2, 64, seed.child("sample").child(std::uint64_t{0}).child(1));
    const std::vector<dof::Sequence> seen{source->sequence(0, 1, 0).tokens, source->sequence(0, 1, 1).tokens};
    const Vector none = Vector::Zero(10);
    const dof::WeightedFeatures start{normal(4, 10, "orthogonal", stream), none};
    const auto trained = [&](dof::Loss loss) {
        return training::train_points(start, seen, small_training(loss), stream.child("training")).features;
    };
    const std::pair<const char*, dof::WeightedFeatures> found[] = {
        {"iid", {normal(4, 10, "iid", stream), none}},
        {"orthogonal", start},
        {"q-lambda", dof::OptimalDensity(points, 0.0625).draw(10, stream)},
        {"q-inf", dof::OptimalDensity(points, std::numeric_limits<double>::infinity()).draw(10, stream)},
        {"learned-squared", trained(dof::Loss::squared)},
        {"learned-softmax", trained(dof::Loss::softmax)}};
    for (const auto& [method, features] : found) {
        INFO(method);
        const auto data =
            computed(sweep, {"layer=1", "head=2", "allocation=Fix", std::string("method=") + method, "repeat=1"});
        double kernel = 0, apart = 0, error = 0, size = 0;
        for (const Index number : {2, 3}) {
            const HeadSequence test = source->sequence(0, 1, number);
            const Points exact = causal_kernel(test.tokens.queries, test.tokens.keys);
            const Points estimate = causal_estimate(test, features);
            kernel += kernel_loss(exact, estimate) / 2;
            apart += divergence(exact, estimate) / 2;
            error += (shares(estimate) * test.values - shares(exact) * test.values).squaredNorm();
            size += (shares(exact) * test.values).squaredNorm();
        }
        CHECK(value(data, "features") == 10);
        CHECK(value(data, "relative_kernel_error") == Approx(std::sqrt(kernel)).epsilon(1e-9));
        CHECK(value(data, "divergence") == Approx(apart).epsilon(1e-9));
        CHECK(value(data, "relative_output_error") == Approx(std::sqrt(error / size)).epsilon(1e-9));
    }
    // Weights fitted to the sequences that are seen are at least as good there as the same points without weights.
    CHECK(value(computed(sweep, {"layer=1", "head=2", "allocation=Fix", "method=weighted", "repeat=1"}), "features") ==
          10);
}

TEST_CASE("dof/error: another test sequence moves the errors and nothing that is found", "[experiments]") {
    // Three sequences are fitted to; the fourth, or the fourth and the fifth, are measured.
    const auto yaml = [](int sequences, int tests) {
        return "columns: 10\npoints: 64\nsteps: 20\nrepeats: 2\n"
               "heads: {use: decaying, scales: 1, decays: [0, 1], dimension: 4, length: 24, sequences: " +
               std::to_string(sequences) + "}\ntests: " + std::to_string(tests) + "\n";
    };
    const Sweep one = prepared(error_study(), yaml(4, 1)), two = prepared(error_study(), yaml(5, 2));
    const auto source = head_source(parsed(error_study(), yaml(5, 2)), Stream(1).child("dof/error"));
    for (const char* method : {"iid", "q-lambda", "weighted", "learned-softmax"}) {
        INFO(method);
        const std::vector<std::string> cell{"head=2", "allocation=DoF of each head", std::string("method=") + method,
                                            "repeat=0"};
        const auto first = computed(one, cell), both = computed(two, cell);
        CHECK(value(first, "features") == value(both, "features"));
        CHECK(value(first, "divergence") != value(both, "divergence"));
        if (std::string(method) != "iid") continue;
        // The mean of both is that of the first and of the other, by the same features.
        const auto count = static_cast<Index>(value(first, "features"));
        const Stream stream =
            own_stream("dof/error", 0, 1).child(static_cast<std::uint64_t>(count)).child(std::uint64_t{0});
        const HeadSequence other = source->sequence(0, 1, 4);
        const double apart = divergence(causal_kernel(other.tokens.queries, other.tokens.keys),
                                        causal_estimate(other, {normal(4, count, "iid", stream), Vector::Zero(count)}));
        CHECK(value(both, "divergence") == Approx((value(first, "divergence") + apart) / 2).epsilon(1e-9));
    }
}

TEST_CASE("dof/learned: the losses are those of the features that are kept, and of those it began with",
          "[experiments]") {
    const std::string yaml = small_heads + "columns: 6\nsteps: 20\n";
    const Sweep sweep = prepared(learned_study(), yaml);
    const auto source = head_source(parsed(learned_study(), yaml), Stream(1).child("dof/learned"));
    const dof::WeightedFeatures start{normal(4, 6, "orthogonal", own_stream("dof/learned", 1, 0)), Vector::Zero(6)};
    for (const bool squared : {true, false}) {
        const auto data =
            computed(sweep, {"layer=2", "head=1", squared ? "method=learned-squared" : "method=learned-softmax"});
        dof::WeightedFeatures kept{Projections(4, 6), Vector(6)};
        for (Index l = 0; l < 4; ++l)
            for (Index m = 0; m < 6; ++m)
                kept.points(l, m) = data.variable("points").values[static_cast<std::size_t>(6 * l + m)];
        for (Index m = 0; m < 6; ++m) kept.log_weights[m] = values(data, "log_weights")[static_cast<std::size_t>(m)];
        const auto mean = [&](const dof::WeightedFeatures& features) {
            double sum = 0;
            for (Index i = 0; i < 4; ++i) {
                const HeadSequence one = source->sequence(1, 0, i);
                const Points exact = causal_kernel(one.tokens.queries, one.tokens.keys);
                const Points estimate = causal_estimate(one, features);
                sum += (squared ? kernel_loss(exact, estimate) : divergence(exact, estimate)) / 4;
            }
            return sum;
        };
        CHECK(value(data, "before") == Approx(mean(start)).epsilon(1e-9));
        CHECK(value(data, "after") == Approx(mean(kept)).epsilon(1e-9));
        CHECK(value(data, "after") < value(data, "before"));
        CHECK(values(data, "loss").size() == 20);
    }
    CHECK_THROWS_WITH(prepared(learned_study(), small_heads + "methods: [fitted-weights]\n"),
                      Catch::Contains("'fitted-weights' is not trained on the sequences of a head"));
}

TEST_CASE("dof/bound: counts are the formulas', errors those of written-out operators", "[experiments]") {
    const Sweep sweep = prepared(bound_study(), "errors: [0.5, 1]\nmost: 20000\nrepeats: 2\npoints: 10\nscale: 0.4\n");
    const Stream seed = Stream(1).child("dof/bound");
    Eigen::MatrixXd entries(2, 10);
    fill_normal(seed.child("points"), entries);
    const Points points = 0.4 * entries.transpose();
    const Eigen::MatrixXd gram = (points * points.transpose() / std::sqrt(2.0)).array().exp();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram / 10);
    const Eigen::ArrayXd mu = solver.eigenvalues();
    const double n = (mu / (mu + 0.05)).sum();
    for (const bool printed : {true, false}) {
        const double t = 0.5, divisor = printed ? t : t * t;
        const auto data = computed(sweep, {"t=0.5", printed ? "form=printed" : "form=corrected", "repeat=1"});
        const double count = std::ceil(4 * n / divisor * std::log(64 * n / (0.1 * divisor)));
        CHECK(value(data, "degrees") == Approx(n).epsilon(1e-9));
        CHECK(value(data, "features") == count);
        // The operators on functions of the ten points, each of weight 1/10.
        const Stream stream =
            seed.child("features").child(std::uint64_t{0}).child(printed ? "printed" : "corrected").child(1);
        const auto features = dof::OptimalDensity(points, 0.05).draw(static_cast<Index>(count), stream);
        const Points phi = features_at(points, features);
        const Eigen::MatrixXd root =
            solver.eigenvectors() * (mu + 0.05).rsqrt().matrix().asDiagonal() * solver.eigenvectors().transpose();
        const Eigen::MatrixXd apart = root * (gram - phi * phi.transpose()) / 10 * root;
        CHECK(value(data, "error") ==
              Approx(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(apart).eigenvalues().cwiseAbs().maxCoeff())
                  .epsilon(1e-9));
    }
}
