// The studies of networks that are trained on drawn sequences, on small configurations.
#include "training/drawn_tasks.hpp"

#include <omp.h>

#include <cmath>
#include <set>

#include "catch.hpp"
#include "cells.hpp"
#include "rfbench/memory/high_water_mark.hpp"
#include "rfbench/networks/drawn_sequences.hpp"
#include "rfbench/report/table.hpp"
#include "support/refusal.hpp"
#include "training/training_memory.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::tests;

namespace {

const Study& recall() { return find("training", "recall"); }
const Study& copying() { return find("training", "copying"); }

const std::string common =
    "methods: [exact, {use: positive, redraw: 2}, luna]\nlayers: 1\nheads: 2\nwidth: 16\ninner: 12\ncolumns: 8\n"
    "steps: 6\nwarmup_steps: 2\nrates: [0.02]\nevaluations: 3\nseeds: 2\nvalidation: 3\ntest: 4\n";
const std::string recall_yaml =
    common + "batch: 5\nlength: 14\nvocabulary: 16\npairs: [1, 3]\nwidths: [8]\ncolumn_counts: [16]\n";
const std::string copying_yaml = common + "batch: 3\nlengths: [8, 12]\nvocabulary: 7\nconvolution: 2\n";

std::string changed(std::string yaml, const std::string& from, const std::string& to) {
    return yaml.replace(yaml.find(from), from.size(), to);
}

using Sequences = std::vector<networks::Sequence<float>>;

/// A training as the studies say it is, with softmax attention, of six steps and a look after every second.
struct Expected {
    std::vector<double> losses, looks, accuracies;
    networks::Transformer network;
    networks::Trainer<float> trainer;

    template <class Batch>
    Expected(const networks::TransformerShape& shape, double gain, const Stream& seed, const Sequences& validation,
             Batch batch, const networks::Heads& heads = {})
        : network(shape, heads),
          trainer(network, network.start({.gain = gain}, seed.child("start")),
                  {.steps = 6, .batch = 1, .rate = 0.02, .max_norm = 1}, 2) {
        for (int step = 0; step < 6; ++step) {
            const auto loss = trainer.step(batch(seed.child("batches").child(static_cast<std::uint64_t>(step)))).loss;
            losses.push_back(loss.sum / static_cast<double>(loss.targets));
            if (step % 2 == 0) continue;
            const auto seen = trainer.evaluate(validation).loss;
            looks.push_back(seen.sum / static_cast<double>(seen.targets));
            accuracies.push_back(static_cast<double>(seen.right) / static_cast<double>(seen.targets));
        }
    }
    void check(const store::Dataset& data) const {
        CHECK(values(data, "loss") == means_of(2, losses));
        CHECK(values(data, "validation_loss") == looks);
        CHECK(values(data, "validation_accuracy") == accuracies);
        CHECK(std::isnan(value(data, "diverged_at")));
    }
    double accuracy(const Sequences& test) {
        const auto loss = trainer.evaluate(test).loss;
        return static_cast<double>(loss.right) / static_cast<double>(loss.targets);
    }
};

template <class Draw>
Sequences drawn(int count, const Stream& stream, Draw draw) {
    Sequences all;
    for (int i = 0; i < count; ++i) all.push_back(draw(i, stream.child(static_cast<std::uint64_t>(i))));
    return all;
}

networks::TransformerShape shape(Index width, Index vocabulary, Index length, Index convolution) {
    networks::TransformerShape own;
    own.vocabulary = own.outputs = vocabulary;
    own.positions = length;
    own.convolution = convolution;
    own.layers = 1;
    own.heads = 2;
    own.width = width;
    own.inner = 12;
    return own;
}

}  // namespace

TEST_CASE("training/recall: a cell is the training of its network on pairs in turn, and its accuracy by their number",
          "[experiments]") {
    const config::Value config = parsed(recall(), recall_yaml);
    const Sweep sweep = recall().prepare(config);
    for (const Index width : {16, 8}) {
        INFO("width " << width);
        const auto data = computed(sweep, {"method=exact", "width=" + std::to_string(width), "seed=1"});
        const Stream study = study_stream(config, "training/recall");
        const auto pairs = [](Index count) {
            return [count](int, const Stream& stream) {
                return drawn_sequence(networks::PairRecall{.length = 14, .vocabulary = 16, .pairs = count}, stream);
            };
        };
        const auto in_turn = [&](int i, const Stream& stream) { return pairs(i % 2 == 0 ? 1 : 3)(i, stream); };
        Expected expected(shape(width, 16, 14, 3), 0.5, study.child(1), drawn(3, study.child("validation"), in_turn),
                          [&](const Stream& stream) { return drawn(5, stream, in_turn); });
        expected.check(data);
        CHECK(values(data, "accuracy") ==
              std::vector{expected.accuracy(drawn(4, study.child("test").child(1), pairs(1))),
                          expected.accuracy(drawn(4, study.child("test").child(3), pairs(3)))});
        CHECK(value(data, "nonpositive") == 0);
    }
}

TEST_CASE("training/recall: denominators count over all numbers of pairs", "[experiments]") {
    const config::Value config = parsed(recall(), changed(recall_yaml, "positive, redraw: 2", "trigonometric"));
    const auto data = computed(recall().prepare(config), {"method=trigonometric", "width=16", "columns=8", "seed=1"});
    const Stream study = study_stream(config, "training/recall");
    const auto pairs = [](Index count) {
        return [count](int, const Stream& stream) {
            return drawn_sequence(networks::PairRecall{.length = 14, .vocabulary = 16, .pairs = count}, stream);
        };
    };
    const auto in_turn = [&](int i, const Stream& stream) { return pairs(i % 2 == 0 ? 1 : 3)(i, stream); };
    const NetworkSetting setting(config);
    Expected expected(
        shape(16, 16, 14, 3), 0.5, study.child(1), drawn(3, study.child("validation"), in_turn),
        [&](const Stream& stream) { return drawn(5, stream, in_turn); },
        setting.heads(setting.methods.values[1], 14, study.child(1).child("features").child("trigonometric"), 0));
    expected.check(data);
    const auto left_out = [&](Index count) {
        return expected.trainer
            .evaluate(drawn(4, study.child("test").child(static_cast<std::uint64_t>(count)), pairs(count)))
            .rows.nonpositive;
    };
    REQUIRE(left_out(1) > 0);
    REQUIRE(left_out(3) > 0);
    CHECK(value(data, "nonpositive") == static_cast<double>(left_out(1) + left_out(3)) / (2 * 4 * 14 * 2));
}

TEST_CASE("training/recall: sizes are swept one at a time, columns of methods alone that have any", "[experiments]") {
    std::set<std::string> keys;
    for (const engine::Cell& cell : recall().prepare(parsed(recall(), recall_yaml)).cells())
        if (has(cell, "seed=0")) keys.insert(cell.key.substr(0, cell.key.find(",seed")));
    const std::string narrow = ",width=8,columns=8", centre = ",width=16,columns=8", more = ",width=16,columns=16";
    CHECK(keys == std::set<std::string>{"method=exact" + narrow, "method=exact" + centre, "method=positive" + narrow,
                                        "method=positive" + centre, "method=positive" + more, "method=luna" + narrow,
                                        "method=luna" + centre, "method=luna" + more});
}

TEST_CASE("training/copying: a cell is the training of its network at its length, and the memory of attention there",
          "[experiments]") {
    const config::Value config = parsed(copying(), copying_yaml);
    const Sweep sweep = copying().prepare(config);
    const auto data = computed(sweep, {"method=exact", "length=12", "seed=1"});
    const Stream study = study_stream(config, "training/copying").child(12);
    const auto draw = [](int, const Stream& stream) {
        return drawn_sequence(networks::Copying{.length = 12, .vocabulary = 7}, stream);
    };
    Expected expected(shape(16, 7, 12, 2), 1, study.child(1), drawn(3, study.child("validation"), draw),
                      [&](const Stream& stream) { return drawn(3, stream, draw); });
    expected.check(data);
    CHECK(value(data, "accuracy") == expected.accuracy(drawn(4, study.child("test"), draw)));
    CHECK(value(data, "nonpositive") == 0);
    CHECK(value(data, "matrix_bytes") == 4 * 3 * 2 * 12 * 12);
    CHECK(value(data, "gradient_bytes") == gradient_bytes(shape(16, 7, 12, 2), 36));
}

TEST_CASE("training/copying: denominators count over all tokens, layers and heads", "[experiments]") {
    const config::Value config = parsed(copying(), changed(copying_yaml, "positive, redraw: 2", "trigonometric"));
    const auto data = computed(copying().prepare(config), {"method=trigonometric", "length=12", "seed=1"});
    const Stream study = study_stream(config, "training/copying").child(12);
    const auto draw = [](int, const Stream& stream) {
        return drawn_sequence(networks::Copying{.length = 12, .vocabulary = 7}, stream);
    };
    const NetworkSetting setting(config);
    Expected expected(
        shape(16, 7, 12, 2), 1, study.child(1), drawn(3, study.child("validation"), draw),
        [&](const Stream& stream) { return drawn(3, stream, draw); },
        setting.heads(setting.methods.values[1], 12, study.child(1).child("features").child("trigonometric"), 0));
    expected.check(data);
    const auto left_out = expected.trainer.evaluate(drawn(4, study.child("test"), draw)).rows.nonpositive;
    REQUIRE(left_out > 0);
    CHECK(value(data, "nonpositive") == static_cast<double>(left_out) / (4 * 12 * 2));
}

TEST_CASE("training/copying: the memory of a gradient is what it takes, and less than matrices would",
          "[experiments]") {
    // As the configuration has it at its largest length.
    const Index length = 512, batch = 8;
    networks::TransformerShape own = shape(128, 64, length, 0);
    own.heads = 4;
    own.inner = 64;
    const Sequences sequences = drawn(batch, Stream(1), [](int, const Stream& stream) {
        return drawn_sequence(networks::Copying{.length = 512, .vocabulary = 64}, stream);
    });
    std::string yaml = changed(copying_yaml, "width: 16", "width: 128");
    yaml = changed(changed(yaml, "heads: 2", "heads: 4"), "columns: 8", "columns: 64");
    const NetworkSetting setting(parsed(copying(), yaml));
    const double planned = gradient_bytes(own, part_rows(length, batch));
    omp_set_num_threads(1);
    for (const char* method : {"exact", "positive"}) {
        INFO(method);
        networks::Heads heads;
        for (const MethodChoice& choice : setting.methods)
            if (choice.label == method) heads = setting.heads(choice, length, Stream(2), 0);
        const networks::Transformer network(own, heads);
        networks::Trainer<float> trainer(network, network.start({}, Stream(3)), {.steps = 2, .rate = 0.001});
        const memory::HighWaterMark mark;
        trainer.step(sequences);
        const auto bytes = static_cast<double>(mark.bytes());
        CHECK(bytes > planned / 1.5);
        CHECK(bytes < planned * 1.5);
        CHECK(2 * bytes < static_cast<double>(4 * batch * own.heads * length * length));
    }
    omp_set_num_threads(omp_get_num_procs());
    // Short sequences go through the network several at a time.
    CHECK(part_rows(64, 8) == 256);
    CHECK(part_rows(64, 3) == 192);
    CHECK(part_rows(200, 3) == 200);
    CHECK(part_rows(300, 3) == 300);
}

TEST_CASE("training on drawn tasks: other sequences to test move no training, and other validation moves no parameter",
          "[experiments]") {
    const auto compared = [](const Study& study, const std::string& yaml, const std::vector<std::string>& parts) {
        const auto of = [&](const std::string& one) { return computed(study.prepare(parsed(study, one)), parts); };
        const auto before = of(yaml), tested = of(changed(yaml, "test: 4", "test: 40")),
                   validated = of(changed(yaml, "validation: 3", "validation: 30"));
        for (const char* same : {"loss", "validation_loss", "validation_accuracy"})
            CHECK(values(tested, same) == values(before, same));
        CHECK(values(validated, "loss") == values(before, "loss"));
        CHECK(values(validated, "accuracy") == values(before, "accuracy"));
        CHECK(values(validated, "validation_loss") != values(before, "validation_loss"));
    };
    compared(recall(), recall_yaml, {"method=positive", "width=16", "columns=8", "seed=0"});
    compared(copying(), copying_yaml, {"method=positive", "length=12", "seed=0"});
}

TEST_CASE("training on drawn tasks: tables have means over seeds, and say what diverged", "[experiments]") {
    // Accuracies of one method with two seeds; at the larger rate the second diverged at 12 tokens on trial.
    const double nan = std::nan("");
    store::Dataset data{{{"method", std::vector<std::string>{"a"}, "", ""},
                         {"length", std::vector<double>{12, 8}, "", ""},
                         {"rate", std::vector<double>{0.01, 0.1}, "", ""},
                         {"seed", std::vector<double>{0, 1}, "", ""},
                         {"step", std::vector<double>{2, 4}, "", ""}},
                        {},
                        {{"guess", "0.25"}, {"softmax", "a"}}};
    const std::vector<std::string> cell{"method", "length", "seed"}, look{"method", "length", "seed", "step"},
        rate{"method", "length", "seed", "rate"};
    data.variables = {{"accuracy", cell, {0.5, 0.5, 0.75, 0.75}, "", ""},
                      {"nonpositive", cell, {0, 0, 0.125, 0.125}, "", ""},
                      {"matrix_bytes", cell, std::vector<double>(4, 2e6), "", ""},
                      {"gradient_bytes", cell, std::vector<double>(4, 5e5), "", ""},
                      {"validation_accuracy", look, {0, 0.5, 0, 0.95, 0, 0.75, 0, 0.75}, "", ""},
                      {"diverged_at", cell, std::vector<double>(4, nan), "", ""},
                      {"divergence", cell, {0, 0, 0, 0}, "", ""},
                      {"chosen_rate", cell, {0.01, 0.01, 0.1, 0.1}, "", ""},
                      {"trial_loss", rate, {2, 3, 2, nan, 2, 1, 2, 1}, "", ""},
                      {"trial_diverged_at", rate, {nan, nan, nan, 3, nan, nan, nan, nan}, "", ""},
                      {"trial_divergence", rate, {0, 0, 0, 3, 0, 0, 0, 0}, "", ""}};
    const Report report = copying().report(data);
    REQUIRE(report.tables.size() == 3);
    const std::string table = report::csv(report.tables[0]), rates = report::csv(report.tables[2]);
    INFO(table << rates);
    CHECK(contains(table, "8,a,0.1,0.75,"));
    CHECK(contains(table, "12,a,0.01,0.5,"));
    CHECK(contains(table, "0.1: 1 of 2 seeds: queries, keys or values are not finite, first at step 3"));
    CHECK(contains(report::csv(report.tables[1]), "8,2,0.5,4"));
    CHECK(contains(rates, "0.1: 1 of 2 seeds"));
    CHECK(contains(rates, "12,a,2,0,3,,0.01"));
    REQUIRE(report.figures[0].panels.size() == 2);
    CHECK(report.figures[0].panels[0].title == "8 tokens");
    CHECK(report.figures[0].panels[0].series[0].y == std::vector<double>{0, 0.75});
    CHECK(report.figures[0].panels[1].series[0].y == std::vector<double>{0, 0.725});
    // One of two seeds solves 12 tokens, at the second look.
    CHECK(contains(table, "12,a,0.01,0.5,0,0.5,0.5,4,"));
    CHECK(contains(table, "without attention: guessing,,0.25"));
    CHECK(report.figures[0].panels[0].horizontal.at(0).at == 0.25);
    CHECK(contains(report.tables[0].notes.at(0),
                   "12 tokens: Softmax attention is 25.00 ± 0.00 percentage points better than "
                   "guessing (25); 50 are asked for: this run cannot judge attention."));
}

TEST_CASE("training/recall: the figure has each network at its place", "[experiments]") {
    // Method, width, columns: of `a` columns were varied, of `b` not. Two seeds alike.
    store::Dataset data{{{"method", std::vector<std::string>{"a", "b"}, "", ""},
                         {"width", std::vector<double>{8, 16}, "", ""},
                         {"columns", std::vector<double>{4, 8}, "", ""},
                         {"rate", std::vector<double>{0.01}, "", ""},
                         {"seed", std::vector<double>{0, 1}, "", ""},
                         {"step", std::vector<double>{5}, "", ""},
                         {"pairs", std::vector<double>{2, 6}, "", ""}},
                        {},
                        {{"width", "16"}, {"columns", "8"}}};
    const std::vector<std::string> cell{"method", "width", "columns", "seed"};
    std::vector<double> one, nothing, accuracies;
    for (int method = 0; method < 2; ++method)
        for (const int width : {8, 16})
            for (const int columns : {4, 8})
                for (int seed = 0; seed < 2; ++seed) {
                    const bool there = columns == 8 || (width == 16 && method == 0);
                    one.push_back(there ? 0.01 : std::nan(""));
                    nothing.push_back(there ? 0 : std::nan(""));
                    for (const double part : {0.02, 0.01})
                        accuracies.push_back(there ? part * (width + columns + 10 * method) : std::nan(""));
                }
    std::vector<std::string> look = cell, pairs = cell, rate = cell;
    look.push_back("step");
    pairs.push_back("pairs");
    rate.push_back("rate");
    const std::vector<double> never(one.size(), std::nan(""));
    data.variables = {{"validation_accuracy", look, std::vector<double>(one.size(), 0.96), "", ""},
                      {"accuracy", pairs, accuracies, "", ""},
                      {"nonpositive", cell, nothing, "", ""},
                      {"diverged_at", cell, never, "", ""},
                      {"divergence", cell, nothing, "", ""},
                      {"chosen_rate", cell, one, "", ""},
                      {"trial_loss", rate, one, "", ""},
                      {"trial_diverged_at", rate, never, "", ""},
                      {"trial_divergence", rate, nothing, "", ""}};
    const Report report = recall().report(data);
    const auto& panels = report.figures.at(0).panels;
    REQUIRE(panels.size() == 3);
    const auto check = [&](std::size_t panel, std::size_t series, const std::vector<double>& y) {
        INFO("panel " << panel << ", series " << series);
        REQUIRE(panels[panel].series[series].y.size() == y.size());
        for (std::size_t i = 0; i < y.size(); ++i)
            CHECK(panels[panel].series[series].y[i] == Approx(y[i]).epsilon(1e-12));
    };
    check(0, 0, {0.48, 0.24});
    check(0, 1, {0.68, 0.34});
    check(0, 2, {1 / 2.0, 1 / 6.0});
    check(1, 0, {0.16, 0.24});
    check(1, 1, {0.26, 0.34});
    check(2, 0, {0.2, 0.24});
    check(2, 1, {0.34, 0.34});  // no budget decides its columns
    REQUIRE(report.tables.size() == 3);
    CHECK(contains(report::csv(report.tables[0]), "a,0.01,0.48,"));
    CHECK(contains(report::csv(report.tables[1]), "b,8,8,"));
    CHECK(!contains(report::csv(report.tables[1]), "b,16,4,"));
    // Both solve it with all seeds, at the first look; below them stands what is guessed, and the margin of none.
    CHECK(contains(report::csv(report.tables[0]), ",0.24,1,5,"));
    CHECK(contains(report::csv(report.tables[0]), "without attention: a value there,,0.5,,"));
    CHECK(contains(report.tables[0].notes.at(0), "Softmax attention is not among the methods"));
    // A softmax network that diverged, and one whose cells are missing, have no accuracy at any number of pairs.
    data.attributes["softmax"] = "a";
    for (store::Variable& variable : data.variables)
        if (variable.name == "accuracy") std::fill_n(variable.values.begin(), variable.values.size() / 2, std::nan(""));
    CHECK(contains(recall().report(data).tables[0].notes.at(0), "Softmax attention diverged"));
    for (store::Variable& variable : data.variables)
        if (variable.name == "chosen_rate")
            std::fill_n(variable.values.begin(), variable.values.size() / 2, std::nan(""));
    CHECK(contains(recall().report(data).tables[0].notes.at(0), "Softmax attention is not trained yet."));
}

TEST_CASE("training on drawn tasks: sizes that do not fit are refused at their place", "[experiments]") {
    const auto said = [](const Study& study, const std::string& yaml, const std::string& from, const std::string& to) {
        return refusal([&] { study.prepare(parsed(study, changed(yaml, from, to))); });
    };
    CHECK(contains(said(recall(), recall_yaml, "pairs: [1, 3]", "pairs: [1, 4]"),
                   "pairs: recall: a sequence of 14 tokens; 4 pairs and as many questions need 16"));
    CHECK(contains(said(recall(), recall_yaml, "vocabulary: 16", "vocabulary: 8"), "which has 3 keys"));
    CHECK(
        contains(said(recall(), recall_yaml, "widths: [8]", "widths: [9]"), "widths: 9 is not a multiple of heads, 2"));
    CHECK(contains(said(recall(), recall_yaml, "column_counts: [16]", "column_counts: [12]"),
                   "columns, 12, are not a multiple of the channels, 8"));
    CHECK(contains(said(recall(), recall_yaml, "batch: 5", "batch: 1"),
                   "batch: 1 sequences; numbers of pairs come in turn, and there are 2: at least one each is needed"));
    CHECK(contains(said(copying(), copying_yaml, "lengths: [8, 12]", "lengths: [8, 13]"),
                   "lengths: copying: a sequence of 13 tokens; 0 v 0 v has an even number, 4 at least"));
    CHECK(contains(said(copying(), copying_yaml, "exact,", "linformer,"), "linformer"));
}
