// The studies of learned features on small configurations.
#include <omp.h>

#include <cmath>

#include "catch.hpp"
#include "cells.hpp"
#include "datasets/scene.hpp"
#include "learned/layers.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/networks/classifier.hpp"
#include "rfbench/networks/recall.hpp"
#include "rfbench/training/matching.hpp"
#include "sources/heads.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"
#include "trained_maps.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::tests;

namespace {

const Study& match() { return find("learned", "match"); }
const Study& classify() { return find("learned", "classify"); }

const std::string match_yaml =
    "methods: [exact, positive, optimal-positive, trigonometric, elu+1, {use: luna, output: elu+1, channels: 4, "
    "hidden: 6}, {use: luna, label: bank, functions: [cos, tanh, relu, gelu, elu+1, sigmoid, abs, identity]}]\n"
    "length: 24\ndimension: 4\ncolumns: 16\nscales: [0.5, 2]\ntraining: 12\nheld_out: 6\nsteps: 80\nrate: 0.02\n"
    "repeats: 2\n";

const std::string classify_yaml =
    "methods: [exact, positive, {use: luna, channels: 4}, {use: luna, label: frozen, channels: 4, fixed_projections: "
    "true}]\n"
    "tasks: [{use: recall, pairs: 3, keys: 4, values: 2, examples: 60}]\ndimension: 4\nembedding: 6\nvalues: "
    "5\ncolumns: 16\nequal: [features, parameters]\nsteps: 5\nrepeats: 2\n";

/// The stored parameters of the head.
Vector parameters_of(const store::Dataset& data, const features::MapShape& shape) {
    return Eigen::Map<const Vector>(values(data, "head_parameters").data(), shape.parameters());
}

/// The stored channels are those of the stored parameters, and the density of what they are given has mass one.
void check_channels(const store::Dataset& data, const features::MapShape& shape) {
    const auto& inputs = values(data, "input");
    const Vector parameters = parameters_of(data, shape);
    REQUIRE(parameters.allFinite());
    Points curves;
    Eigen::Array<double, 1, Eigen::Dynamic> u(static_cast<Index>(inputs.size()));
    std::copy(inputs.begin(), inputs.end(), u.data());
    shape.channels->evaluate(parameters.tail(shape.channels->parameters()), u, curves);
    Eigen::Map<Eigen::Array<double, 1, Eigen::Dynamic>> all(curves.data(), curves.size());
    shape.channels->output().apply(all, all);
    double mass = 0;
    for (std::size_t b = 0; b < inputs.size(); ++b) {
        mass += data.variable("input_density").values[b] * (inputs[1] - inputs[0]);
        for (Index l = 0; l < curves.cols(); ++l)
            CHECK(data.variable("channel_value").values[static_cast<std::size_t>(l) * inputs.size() + b] ==
                  curves(static_cast<Index>(b), l));
    }
    CHECK(mass == Approx(1).epsilon(1e-9));
}

std::string changed(std::string yaml, const std::string& from, const std::string& to) {
    return yaml.replace(yaml.find(from), from.size(), to);
}

}  // namespace

namespace {

/// Drawn heads as learned/match has them, from their definition.
std::vector<training::HeadSequence> drawn(std::uint64_t count, double scale, const Stream& stream) {
    Vector spread(4);
    for (Index l = 0; l < 4; ++l) spread[l] = 1 / static_cast<double>(l + 1);
    spread *= scale / std::sqrt(spread.squaredNorm() / 4);
    std::vector<training::HeadSequence> all;
    for (std::uint64_t i = 0; i < count; ++i) {
        experiments::HeadSequence head = draw_head(24, 4, 1, stream.child(i));
        for (Index l = 0; l < 4; ++l) {
            head.tokens.queries.col(l) *= spread[l];
            head.tokens.keys.col(l) *= spread[l];
        }
        all.push_back({head.tokens.queries, head.tokens.keys, head.values});
    }
    return all;
}

/// Rows of `kernel` divided by their sums, times values.
Points averaged(const Points& kernel, const Points& values) {
    return kernel.rowwise().sum().cwiseInverse().asDiagonal() * kernel * values;
}

/// |O^ - O| / |O| over sequences, O being softmax attention, and the share of denominators that are not positive.
template <class Kernel>
std::pair<double, double> mismatch_of(const std::vector<training::HeadSequence>& sequences, Kernel estimate) {
    double error = 0, size = 0, nonpositive = 0, rows = 0;
    for (const auto& [queries, keys, values] : sequences) {
        const Points exact = averaged((queries * keys.transpose() / 2).array().exp(), values);
        const Points kernel = estimate(queries, keys);
        error += (averaged(kernel, values) - exact).squaredNorm();
        size += exact.squaredNorm();
        nonpositive += static_cast<double>((kernel.rowwise().sum().array() <= 0).count());
        rows += static_cast<double>(kernel.rows());
    }
    return {std::sqrt(error / size), nonpositive / rows};
}

}  // namespace

TEST_CASE("learned/match: every variable is what written-out attention matrices give") {
    const config::Value config = parsed(match(), match_yaml);
    const Sweep sweep = match().prepare(config);
    const Layers layers(config);
    CHECK(sweep.cells().size() == 2 * 7 * 2);
    for (const engine::Cell& cell : sweep.cells()) {
        INFO(cell.key);
        const store::Dataset data = computed(sweep, cell);
        const MethodChoice& method = layers.axis().values[cell.coordinates[1]];
        const auto map = layers.trained(method);
        CHECK(value(data, "columns") == (method.label == "exact" ? 0 : 16));
        CHECK(std::isnan(values(data, "loss")[0]) == !map);
        const Stream seed = Stream(1).child("learned/match").child(cell.coordinates[2]);
        const auto held_out = drawn(6, cell.coordinates[0] == 0 ? 0.5 : 2, seed.child("held-out"));
        const Stream descent = seed.child("descent");  // of all methods
        if (!map) {
            CHECK(value(data, "error") == value(data, "before"));
            CHECK(value(data, "trained") == 0);
        }
        if (method.label == "exact") CHECK(value(data, "error") < 1e-14);
        if (method.label == "positive") {
            const Projections omega =
                features::draw(*features::fit(features::find("positive"), {}), 4, 16, sampling::find("orthogonal"),
                               seed.child("features").child("positive"))
                    .omega;
            // exp(w.x - |x|^2 / 2) at x = q / d^(1/4).
            const auto phi = [&](const Points& rows) -> Points {
                const Points x = rows / std::sqrt(2.0);
                return ((x * omega).colwise() - x.rowwise().squaredNorm() / 2).array().exp();
            };
            const auto [error, nonpositive] = mismatch_of(
                held_out, [&](const Points& q, const Points& k) { return Points(phi(q) * phi(k).transpose()); });
            CHECK(value(data, "error") == Approx(error).epsilon(1e-10));
            CHECK(value(data, "nonpositive") == nonpositive);
        }
        if (!map) continue;
        check_channels(data, *map);
        CHECK(value(data, "trained") == (method.label == "luna" ? 4 * 4 + 4 + 4 * 19 : 8));
        const auto of = [&](const Vector& parameters) {
            const features::LearnedMap features(*map, parameters);
            return mismatch_of(held_out, [&](const Points& q, const Points& k) {
                return Points(features.values(q) * features.values(k).transpose());
            });
        };
        const auto [error, nonpositive] = of(parameters_of(data, *map));
        CHECK(value(data, "error") == Approx(error).epsilon(1e-9));
        CHECK(value(data, "nonpositive") == nonpositive);
        CHECK(value(data, "before") ==
              Approx(of(training::learned_attention(*map)->start(descent.child("start"))).first).epsilon(1e-9));
        if (method.label == "luna") CHECK(value(data, "error") < value(data, "before"));
    }
}

TEST_CASE("learned/match trains on the heads of a source, and measures on sequences that it did not see") {
    const tests::TemporaryFolder folder;
    // Two heads of seven sequences of three tokens, d = 2: five of them to train on, two held out.
    std::vector<std::pair<std::string, std::string>> members;
    for (const char* name : {"queries", "keys", "values"}) {
        const Points entries = tests::normal_points(2 * 7 * 3, 2, Stream(3).child(name));
        members.emplace_back(
            std::string(name) + ".npy",
            scene::npy("<f8", "2, 7, 3, 2",
                       scene::bytes_of(std::vector<double>(entries.data(), entries.data() + entries.size()))));
    }
    const std::string file = folder.write("heads.npz", scene::zipped(members));
    const std::string rest =
        "methods: [positive, {use: luna, channels: 2, projections: 3}]\ndimension: 2\ncolumns: 8\ntraining: "
        "5\nheld_out: "
        "2\nsteps: 3\nrepeats: 2\n";
    const std::string yaml =
        "heads: [{use: file, file: " + file + "}, {use: normal, dimension: 2, length: 4}]\n" + rest;
    const config::Value config = parsed(match(), yaml);
    const Sweep sweep = match().prepare(config);
    CHECK(std::get<std::vector<std::string>>(sweep.axes[0].labels) ==
          std::vector<std::string>{"layer 1, head 1", "layer 1, head 2", "d = 2, sd 1"});
    CHECK((sweep.data[0][1].size() == 64 && sweep.data[0][2].empty()));
    const HeadList list(config, head_streams(Stream(0)));
    for (const std::uint64_t repeat : {0, 1}) {
        const auto of = [&](std::uint64_t from, std::uint64_t count) {
            std::vector<training::HeadSequence> all;
            for (std::uint64_t i = from; i < from + count; ++i) {
                const HeadSequence one =
                    list.heads.values[1].source->sequence(0, 1, static_cast<Index>((7 * repeat + i) % 7));
                all.push_back({one.tokens.queries, one.tokens.keys, one.values});
            }
            return all;
        };
        const Layers layers(config);
        const MethodChoice& luna = layers.axis().values[1];
        const Stream seed = Stream(1).child("learned/match").child(repeat);
        const auto layer = layers.layer(luna, 3, seed.child("features").child("luna"));
        const auto trained =
            match_softmax(*layer, of(0, 5), attention::Visible::all, descent(config), seed.child("descent"));
        const auto data = computed(sweep, {"head=layer 1, head 2", "method=luna", "repeat=" + std::to_string(repeat)});
        CHECK(values(data, "loss") == trained.losses);
        CHECK(value(data, "error") ==
              mismatch(*layer, trained.parameters, of(5, 2), attention::Visible::all).relative_error);
    }
    const Report report = match().report(trained_maps::collected(match(), config, folder));
    REQUIRE(report.figures.size() == 4);
    CHECK(report.figures[1].name == "match-channels-layer-1--head-1");
    const auto says = [&](const std::string& text, const std::string& sentence) {
        const std::string all = ::refused(match(), text);
        INFO(all);
        CHECK(tests::contains(all, sentence));
    };
    const std::string source = "heads: {use: file, file: " + file + "}\n";
    says(source + "scales: 1\n" + rest, "'scales' is of heads that are drawn here");
    says(rest, "'length', or sources of heads under 'heads', is missing");
    says("heads: {use: normal, dimension: 3}\n" + rest, "there are heads with d = 3, but 'dimension' is 2");
    says("heads: {use: file, file: " + file + "}\nmethods: [positive]\ndimension: 2\nsteps: 1\nrepeats: 2\n",
         "a source has 7 sequences, but 'training' and 'held_out' are 96 together");
}

TEST_CASE("learned: other sequences held out move what is measured and nothing that is trained") {
    const auto compared = [](const Study& study, const std::string& one, const std::string& other,
                             const std::vector<const char*>& measured) {
        const auto of = [&](const std::string& yaml) {
            return computed(study.prepare(parsed(study, yaml)), {"method=luna", "repeat=1"});
        };
        const store::Dataset a = of(one), b = of(other);
        for (const char* trained : {"loss", "head_parameters"}) {
            // A method with fewer parameters than another one has NaN in the rest.
            const auto &x = values(a, trained), &y = values(b, trained);
            CHECK(std::equal(x.begin(), x.end(), y.begin(), y.end(),
                             [](double p, double q) { return p == q || (std::isnan(p) && std::isnan(q)); }));
        }
        for (const char* variable : measured) {
            INFO(variable);
            CHECK(value(a, variable) != value(b, variable));
        }
    };
    compared(match(), match_yaml, changed(match_yaml, "held_out: 6", "held_out: 5"), {"before", "error"});
    // 40 examples to train on, then 20 or 10 held out.
    const std::string twenty = changed(classify_yaml, "examples: 60", "examples: 60, test_share: 0.333333");
    const std::string ten = changed(classify_yaml, "examples: 60", "examples: 50, test_share: 0.2");
    compared(classify(), twenty, ten, {"test_loss"});
}

TEST_CASE("learned/classify: a share that leaves nothing to train on, or to test with, is refused", "[experiments]") {
    for (const auto& [share, said] : {std::pair("0.995", "leaves 60 to test with and 0 to train on"),
                                      {"0.008", "leaves 0 to test with and 60 to train on"}}) {
        const std::string all = refused(
            classify(), changed(classify_yaml, "examples: 60", std::string("examples: 60, test_share: ") + share));
        INFO(all);
        CHECK(tests::contains(all, said));
    }
}

TEST_CASE("learned/classify: every variable is that of a classifier trained alike; cells have the same bits again") {
    const config::Value config = parsed(classify(), classify_yaml);
    const Sweep sweep = classify().prepare(config);
    const Layers layers(config);
    const networks::Recall recall{3, 4, 2};
    // Embedding and positions, queries and keys, then per value column 6 + 2, and the shift of two classes.
    const double layer = (7 + 4) * 6 + 6 * 8 + 5 * 8 + 2, network = 4 * 4 + 4 + 4 * 49;
    for (const engine::Cell& cell : sweep.cells()) {
        INFO(cell.key);
        const store::Dataset data = computed(sweep, cell);
        const MethodChoice& method = layers.axis().values[cell.coordinates[2]];
        const double own = method.label == "luna" ? network : method.label == "frozen" ? network - 20 : 0;
        if (cell.coordinates[1] == 0) {
            CHECK(value(data, "trained") == layer + own);
            CHECK(value(data, "value_columns") == 5);
        } else {
            CHECK(value(data, "trained") >= layer + network);
            CHECK(value(data, "trained") < layer + network + 8);
        }
        CHECK(value(data, "columns") == (method.label == "exact" ? 0 : 16));
        if (const auto map = layers.trained(method)) check_channels(data, *map);

        // 0.33 of 60 examples are held out.
        const Stream seed = Stream(1).child("learned/classify").child("recall").child(cell.coordinates[3]);
        const auto examples = recall_examples(recall, 40, seed.child("data").child("training"));
        const auto held_out = recall_examples(recall, 20, seed.child("data").child("test"));
        const networks::Transformer classifier = networks::classifier(
            {4, 7, 2, 6, 4, static_cast<Index>(value(data, "value_columns")), networks::ReadOutOf::last},
            layers.layer(method, 4, seed.child("features").child(method.label)));
        const auto trained =
            train(classifier, examples, {.steps = 5, .batch = 16, .rate = 0.005}, seed.child("training"));
        double right = 0, loss = 0, right_in_training = 0, nonpositive = 0;
        for (const auto* all : {&examples, &held_out})
            for (const networks::Sequence<double>& one : *all) {
                const networks::Weights<double> weights(classifier.layout(), trained.parameters,
                                                        networks::Passes::forward);
                const Points logits = classifier.outputs(weights, one);
                const int label = one.targets[0].value;
                Index best = 0;
                logits.row(0).maxCoeff(&best);
                (all == &examples ? right_in_training : right) += best == label;
                if (all == &examples) continue;
                loss += std::log(logits.array().exp().sum()) - logits(0, label);
                networks::Workspace<double> work;
                nonpositive +=
                    static_cast<double>(classifier.evaluate<double>(weights, {&one, 1}, work).rows.nonpositive);
            }
        CHECK(value(data, "accuracy") == Approx(right / 20));
        CHECK(value(data, "training_accuracy") == Approx(right_in_training / 40));
        CHECK(value(data, "test_loss") == Approx(loss / 20).epsilon(1e-12));
        CHECK(value(data, "nonpositive") == Approx(nonpositive / (20 * 4)));
        CHECK(values(data, "loss") == trained.losses);
        if (cell.coordinates[1] + cell.coordinates[3] > 0) continue;
        omp_set_num_threads(2);
        const store::Dataset again = computed(sweep, cell);
        omp_set_num_threads(omp_get_num_procs());
        CHECK(values(again, "loss") == values(data, "loss"));
        CHECK(value(again, "accuracy") == value(data, "accuracy"));
    }
}

TEST_CASE("learned/classify: denominators count over the tokens of all examples held out") {
    const config::Value config =
        parsed(classify(),
               "methods: [trigonometric]\ntasks: [{use: recall, pairs: 3, keys: 4, values: 2, examples: 60}]\n"
               "dimension: 4\nembedding: 64\nvalues: 5\ncolumns: 2\nequal: [features]\nsteps: 5\nrepeats: 2\n");
    const Sweep sweep = classify().prepare(config);
    const Layers layers(config);
    double seen = 0;
    for (const engine::Cell& cell : sweep.cells()) {
        const Stream seed = Stream(1).child("learned/classify").child("recall").child(cell.coordinates[3]);
        const networks::Recall recall{3, 4, 2};
        const networks::Transformer classifier = networks::classifier(
            {4, 7, 2, 64, 4, 5, networks::ReadOutOf::last},
            layers.layer(layers.axis().values[0], 4, seed.child("features").child("trigonometric")));
        const auto trained = train(classifier, recall_examples(recall, 40, seed.child("data").child("training")),
                                   {.steps = 5, .batch = 16, .rate = 0.005}, seed.child("training"));
        const networks::Weights<double> weights(classifier.layout(), trained.parameters, networks::Passes::forward);
        networks::Workspace<double> work;
        const auto held_out = recall_examples(recall, 20, seed.child("data").child("test"));
        const auto left_out =
            static_cast<double>(classifier.evaluate<double>(weights, held_out, work).rows.nonpositive);
        CHECK(value(computed(sweep, cell), "nonpositive") == left_out / (20 * 4));
        seen += left_out;
    }
    CHECK(seen > 0);
}

TEST_CASE("learned: methods that cannot be are refused where they stand") {
    const auto refused = [&](const std::string& list) {
        return ::refused(match(), "methods: " + list + "\nlength: 8\nsteps: 1\nrepeats: 2\n");
    };
    CHECK(contains(refused("[luna, luna]"), "test.yaml:3"));
    CHECK(contains(refused("[luna, {use: luna, channels: 4}]"), "the label 'luna' is taken by an earlier method"));
    CHECK(contains(refused("[{use: positive, channels: 4}]"), "channels"));
    CHECK(contains(refused("[positive, {use: luna, channels: 7}]"), "test.yaml:3:21"));
    CHECK(contains(refused("[{use: luna, channels: 7}]"), "columns, 64, are not a multiple of the channels, 7"));
    CHECK(refused("[{use: luna, channels: 7, columns: 14, label: fourteen}]") == "accepted");
    CHECK(contains(refused("[lunar]"), "luna"));
    CHECK(contains(refused("[poisson]"), "'poisson' is no layer of a network that is trained"));
}
