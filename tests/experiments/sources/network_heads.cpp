// Trained networks as results, and their heads as a source.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "catch.hpp"
#include "experiments/cells.hpp"
#include "rfbench/networks/drawn_sequences.hpp"
#include "rfbench/networks/trainer.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "sources/heads.hpp"
#include "sources/stored_network.hpp"
#include "study/code.hpp"
#include "study/foundation.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using rfbench::tests::contains;

namespace {

const Study& teachers() { return find("training", "teachers"); }
const Study& layers_study() { return find("dof", "layers"); }

const std::string recall = "{use: recall, length: 8, vocabulary: 10, pairs: 2, steps: 4, batch: 3, rate: 0.01}";
const std::string rest =
    "layers: 2\nheads: 2\nwidth: 6\ninner: 5\nwarmup_steps: 1\nevaluations: 2\njudged: 3\nkept: 4\nseeds: 2\nseed: 7\n";
const std::string two_kinds =
    "sources: [" + recall + ", {use: lists, shortest: 4, longest: 12, depth: 2, steps: 3, batch: 2}]\n" + rest;

/// The collected result of a configuration of teachers.
store::Dataset collected(const std::string& yaml) { return cells::collected(teachers(), yaml); }

NetworkInputs drawn(Index count, const Stream& stream) {
    NetworkInputs all;
    for (Index i = 0; i < count; ++i)
        all.push_back(
            networks::drawn_sequence(networks::PairRecall{8, 10, 2}, stream.child(static_cast<std::uint64_t>(i))));
    return all;
}

networks::TransformerShape recall_shape() {
    networks::TransformerShape shape;
    shape.vocabulary = shape.outputs = 10;
    shape.positions = 8;
    shape.convolution = 3;
    shape.layers = shape.heads = 2;
    shape.width = 6;
    shape.inner = 5;
    return shape;
}

/// A folder of results with those of teachers.
struct Results {
    tests::TemporaryFolder folder;
    FoundationFolder there{folder.path()};
    store::Dataset data = collected(two_kinds);

    Results() { write(); }
    void write() const {
        std::filesystem::create_directories(folder / "training");
        store::write(folder / "training/teachers.h5", data);
    }
    std::shared_ptr<const HeadSource> heads(const std::string& more) const {
        return head_source(parsed(layers_study(), "heads: {use: network, from: training/teachers, " + more + "}\n"),
                           Stream(1));
    }
};

}  // namespace

TEST_CASE("teachers keep the weights of a training, bit for bit, by the names of the layout", "[experiments]") {
    const Stream study = Stream(7).child("training/teachers"), seed = study.child("recall").child(std::uint64_t{1});
    const networks::Transformer network(recall_shape());
    networks::Trainer<float> trainer(network, network.start({.gain = 0.5}, seed.child("start")),
                                     {.steps = 4, .batch = 1, .rate = 0.01, .max_norm = 1}, 1);
    std::vector<double> looks;
    for (int step = 0; step < 4; ++step) {
        trainer.step(drawn(3, seed.child("batches").child(static_cast<std::uint64_t>(step))));
        if (step % 2 == 1)
            looks.push_back(trainer.evaluate(drawn(3, study.child("recall").child("validation"))).loss.mean());
    }
    const store::Dataset data = collected(two_kinds);
    const StoredNetwork stored = read_network(data, "recall", 1);
    CHECK(stored.weights.values() == trainer.weights().values());
    const store::Dataset cell =
        computed(prepared(teachers(), two_kinds), std::vector<std::string>{"source=recall", "seed=1"});
    CHECK(values(cell, "validation_loss") == looks);
    const NetworkInputs held_out = drawn(4, study.child("recall").child("test"));
    REQUIRE(stored.sequences.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) CHECK(stored.sequences[i].tokens == held_out[i].tokens);
    // A smaller parameter stands in a corner, among NaN.
    CHECK(data.variable("wpe.weight").values.size() == 2U * 2 * 129 * 6);
    CHECK(std::isnan(data.variable("wpe.weight").values[8 * 6]));
}

TEST_CASE("training/teachers: each network must be beyond what needs no attention", "[experiments]") {
    store::Dataset data = collected(two_kinds);
    const auto set = [&](const char* name, std::vector<double> of_recall, std::vector<double> of_lists) {
        for (store::Variable& one : data.variables)
            if (one.name == name) {
                std::copy(of_recall.begin(), of_recall.end(), one.values.begin());
                std::copy(of_lists.begin(), of_lists.end(), one.values.begin() + 2);
            }
    };
    const auto notes = [&] { return teachers().report(data).tables.front().notes; };
    set("guess", {0.1, 0.1}, {0.25, 0.25});
    set("accuracy", {0.9, 0.8}, {0.5, 0.375});
    CHECK(notes()[0] ==
          "recall: each network is better than the most frequent target (10), by 70 to 80 percentage points; 50 are "
          "asked for.");
    CHECK(notes()[1] ==
          "lists: each network is better than the most frequent target (25), by 12.5 to 25 percentage points; 20 are "
          "asked for: these networks cannot judge attention.");
    const double nan = std::nan("");
    set("accuracy", {0.05, nan}, {nan, nan});
    CHECK(notes()[0] ==
          "recall: each network is worse than the most frequent target (10), by 5 to 5 percentage points; 50 are asked "
          "for: these networks cannot judge attention.");
    CHECK(notes()[1] == "lists: not trained yet.");
}

TEST_CASE("positions of teachers begin as sinusoids where these are asked for", "[experiments]") {
    const auto first = [&](const std::string& positions) {
        const std::string source = "{use: recall, length: 8, vocabulary: 10, pairs: 2, steps: 0" + positions + "}";
        const StoredNetwork stored = read_network(collected("sources: [" + source + "]\n" + rest), "recall", 0);
        return stored.weights.values();
    };
    CHECK(first(", initial_positions: drawn") == first(""));
    CHECK(first(", initial_positions: sinusoids") != first(""));
}

TEST_CASE("a training that goes on from its checkpoint ends with the same weights", "[experiments]") {
    const Sweep sweep = prepared(teachers(), two_kinds);
    const engine::Cell cell = sweep.cells().front();
    const tests::TemporaryFolder folder;
    int offers = 0;
    engine::Checkpoint broken(folder / "checkpoint", 1e9, [&] { return ++offers == 3; });
    CHECK_THROWS_AS(sweep.compute(sweep.point(cell.coordinates, &broken)), engine::StopRequested);
    engine::Checkpoint again(folder / "checkpoint", 1e9, [] { return false; });
    const store::Dataset whole = ::computed(sweep, cell),
                         resumed = sweep.compute(sweep.point(cell.coordinates, &again));
    for (const store::Variable& variable : whole.variables) {
        CAPTURE(variable.name);
        const auto& other = resumed.variable(variable.name).values;
        CHECK(std::equal(variable.values.begin(), variable.values.end(), other.begin(), other.end(),
                         [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }));
    }
}

TEST_CASE("teachers of hidden characters see all tokens, and keep sequences in which they are hidden",
          "[experiments]") {
    const tests::TemporaryFolder folder;
    std::string text;
    for (int i = 0; i < 80; ++i) text += "line " + std::to_string(i * i) + " of eighty\n";
    const std::string source = "{use: masked-text, text: " + folder.write("lines.txt", text) +
                               ", length: 20, validation_share: 0.2, test_share: 0.2, steps: 4, batch: 3}";
    const store::Dataset data = collected("sources: [" + source + ", " + recall + "]\n" + rest);
    const StoredNetwork stored = read_network(data, "masked-text", 1);
    CHECK(stored.network.shape().visible == attention::Visible::all);
    REQUIRE(stored.sequences.size() == 4);
    for (const auto& one : stored.sequences) {
        CHECK(one.length() == 20);
        // 15 % of twenty tokens, in the places of bytes.
        CHECK(std::count(one.tokens.begin(), one.tokens.end(), 256) == 3);
    }
    CHECK(stored.sequences[0].tokens != stored.sequences[1].tokens);
    // Later tokens count: another last one moves the first token's row behind the first layer.
    auto other = stored.sequences[0];
    other.tokens.back() = other.tokens.back() == 1 ? 2 : 1;
    const auto before = stored.network.heads(stored.weights, stored.sequences[0]),
               after = stored.network.heads(stored.weights, other);
    CHECK(before[0][0].queries.row(0) == after[0][0].queries.row(0));
    CHECK(before[1][0].queries.row(0) != after[1][0].queries.row(0));
    // The training is that of bits a hidden character.
    const store::Dataset cell = computed(prepared(teachers(), "sources: " + source + "\n" + rest),
                                         std::vector<std::string>{"source=masked-text", "seed=1"});
    CHECK(value(cell, "bits_per_character") == Approx(value(cell, "held_out_loss") / std::log(2.0)));
    CHECK(std::abs(value(cell, "held_out_loss") - std::log(257)) < 0.3);
}

TEST_CASE("heads of a network are those of its weights on sequences held out, of every layer and head",
          "[experiments]") {
    const Results results;
    const auto source = results.heads("source: recall, seed: 1, sequences: 3");
    CHECK(source->layers() == 2);
    CHECK(source->heads() == 2);
    CHECK(source->dimension() == 3);
    CHECK(source->length() == 8);
    const StoredNetwork stored = read_network(results.data, "recall", 1);
    for (Index number = 0; number < 3; ++number) {
        const auto expected = stored.network.heads(stored.weights, stored.sequences[static_cast<std::size_t>(number)]);
        for (Index layer = 0; layer < 2; ++layer)
            for (Index head = 0; head < 2; ++head) {
                const auto& rows = expected[static_cast<std::size_t>(layer)][static_cast<std::size_t>(head)];
                const HeadSequence one = source->sequence(layer, head, number);
                CHECK(one.tokens.queries == rows.queries.cast<double>());
                CHECK(one.tokens.keys == rows.keys.cast<double>());
                CHECK(one.values == rows.values.cast<double>());
            }
    }
    // Chosen layers and heads, and the first tokens.
    const auto some = results.heads("source: recall, seed: 1, sequences: 3, layers: 2, heads: [2], length: 4");
    CHECK(some->length() == 4);
    CHECK(some->label(0, 0) == "layer 2, head 2");
    CHECK(some->sequence(0, 0, 2).tokens.keys.isApprox(source->sequence(1, 1, 2).tokens.keys.topRows(4), 1e-6));
    CHECK(contains(refused([&] { results.heads("source: recall, sequences: 3, length: 9"); }),
                   "9 tokens are asked for, and a sequence that is kept has 8"));
}

TEST_CASE("what stands on a network counts by its weights and sequences alone", "[experiments]") {
    Results results;
    const std::string first = results.heads("source: recall, sequences: 3")->data_hash();
    CHECK(first.size() == 64);
    CHECK(results.heads("source: recall, seed: 1, sequences: 3")->data_hash() != first);
    CHECK(results.heads("source: recall, sequences: 2")->data_hash() != first);
    CHECK(results.heads("source: recall, sequences: 3, length: 4")->data_hash() != first);
    // Another source beside it changes the file and no weight.
    results.data = collected("sources: [" + recall + "]\n" + rest);
    results.write();
    CHECK(results.heads("source: recall, sequences: 3")->data_hash() == first);
    const Sweep sweep = prepared(
        layers_study(), "heads: {use: network, from: training/teachers, source: recall, sequences: 3}\npoints: 8\n");
    CHECK(sweep.data.front().front() == first);
    for (const std::string& settings : sweep.contents.front()) CHECK(!contains(settings, "teachers"));
}

TEST_CASE("a network that is damaged, missing or of another shape is refused with its place", "[experiments]") {
    Results results;
    const auto says = [&](const std::string& sentence) {
        const std::string said = refused([&] { results.heads("source: recall, sequences: 3"); });
        INFO(said);
        CHECK(contains(said, "test.yaml:3:8: heads"));
        CHECK(contains(said, sentence));
    };
    const store::Dataset whole = results.data;
    const auto variable = [&](const std::string& name) -> store::Variable& {
        for (store::Variable& one : results.data.variables)
            if (one.name == name) return one;
        throw std::logic_error(name);
    };
    variable("h.1.attn.c_attn.weight").values[3] = std::nan("");
    results.write();
    says("training failed");
    results.data = whole;
    variable("h.1.attn.c_attn.weight").name = "other";
    results.write();
    says("it has no variable 'h.1.attn.c_attn.weight'");
    results.data = whole;
    variable("h.0.mlp.c_fc.weight") = {
        "h.0.mlp.c_fc.weight", {"source", "seed", "column_5", "column_6"}, std::vector<double>(120, 0.0), "", ""};
    results.write();
    says("'h.0.mlp.c_fc.weight' has 5 x 6 weights, and the network 6 x 5");
    results.data = whole;
    results.data.attributes.erase("networks");
    results.write();
    says("it keeps no networks; training/teachers does");
    results.folder.write("training/teachers.h5", "nothing\n");
    const std::string damaged = refused([&] { results.heads("source: recall"); });
    CHECK(contains(damaged, "test.yaml:3:29: heads.from: "));
    CHECK(contains(damaged, "'rfbench run training/teachers' makes it anew"));
    std::filesystem::remove(results.folder / "training/teachers.h5");
    CHECK(contains(refused([&] { results.heads("source: recall"); }), "'rfbench run training/teachers' computes it"));
}

TEST_CASE("a source that has no room is refused, and one that is added changes nothing of those before it",
          "[experiments]") {
    const std::string said = refused(teachers(), "sources: [" + recall + "]\nroom: {vocabulary: 9}\n" + rest);
    INFO(said);
    CHECK(contains(said, "there is no room for 'recall': 'wte.weight' has 10 x 6 weights, and 9 x 6 fit"));
    CHECK(contains(refused(teachers(), "sources: [" + recall + "]\nwidth: 7\n"), "7 is not a multiple of heads, 4"));
    const store::Dataset one = computed_at(prepared(teachers(), "sources: [" + recall + "]\n" + rest), "seed=1");
    const store::Dataset beside =
        computed(prepared(teachers(), two_kinds), std::vector<std::string>{"source=recall", "seed=1"});
    REQUIRE(one.variables.size() == beside.variables.size());
    for (std::size_t v = 0; v < one.variables.size(); ++v) {
        CHECK(one.variables[v].name == beside.variables[v].name);
        CHECK(one.variables[v].axes == beside.variables[v].axes);
        CHECK(one.variables[v].values.size() == beside.variables[v].values.size());
    }
}

TEST_CASE("depth goes through the layers of a trained network, whose own attention has no error", "[experiments]") {
    const Results results;
    const Study& depth = find("attention", "depth");
    const std::string network = "network: {from: training/teachers, source: lists, seed: 1}\n";
    const std::string rest_of_depth = "methods: [exact, positive]\nsamplings: iid\nlength: 4\ncolumns: 8\nrepeats: 2\n";
    const Sweep sweep = prepared(depth, network + rest_of_depth);
    CHECK(sweep.data_hash == read_network(results.data, "lists", 1).hash());
    for (const double error : values(computed_at(sweep, "method=exact"), "relative_error")) CHECK(error < 1e-13);
    const auto errors = values(computed_at(sweep, "method=positive"), "relative_error");
    CHECK(errors.size() == 2U * 2);
    for (const double error : errors) CHECK((error > 1e-6 && error < 1));
    // Sequences are those that are kept: each repeat has its own.
    CHECK(errors[0] != errors[2]);
    const std::string recall_network = "network: {from: training/teachers, source: recall}\n";
    CHECK(contains(refused(depth, recall_network + rest_of_depth), "a convolution behind its embedding"));
    CHECK(contains(refused(depth, network + "methods: [positive]\nlength: 13\ncolumns: 8\nrepeats: 2\n"),
                   "13 tokens are asked for, and a sequence that training/teachers keeps has"));
}

TEST_CASE("a lambda that is a share of tr S is the same for heads of all norms", "[experiments]") {
    const std::string heads = "heads: {use: decaying, scales: [1.2], decays: [0.5], dimension: 4, length: 16}\n";
    const auto degrees = [&](const std::string& more) {
        return values(
            computed(prepared(layers_study(), heads + "points: 32\n" + more), std::vector<std::string>{"points=32"}),
            "degrees");
    };
    const store::Dataset plain =
        computed(prepared(layers_study(), heads + "points: 32\nlambdas: 1\n"), std::vector<std::string>{"points=32"});
    const double trace = std::exp(value(plain, "log_trace"));
    const double share = degrees("lambdas: 0.1\nlambda_unit: trace\n").front();
    std::ostringstream lambda;
    lambda.precision(17);
    lambda << 0.1 * trace;
    const double expected = degrees("lambdas: " + lambda.str() + "\n").front();
    CHECK(std::abs(share - expected) < 1e-12 * expected);
}
