// The study of long sequences on small configurations.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "catch.hpp"
#include "cells.hpp"
#include "experiments/small_images.hpp"
#include "rfbench/report/table.hpp"
#include "rfbench/training/list_operations.hpp"
#include "sources/images.hpp"
#include "sources/long_tasks.hpp"
#include "support/refusal.hpp"
#include "training/network_report.hpp"
#include "training/network_training.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::tests;

namespace {

const Study& study() { return find("training", "long-range"); }

constexpr const char* lists = "{use: lists, shortest: 4, longest: 12, depth: 2, batch: 3}";

std::string yaml(const std::string& tasks, const std::string& methods = "[exact, nystrom, linformer]") {
    return "tasks: [" + tasks + "]\nmethods: " + methods +
           "\nlayers: 1\nheads: 2\nwidth: 8\ninner: 12\ncolumns: 4\nsteps: 6\nbatch: 2\nwarmup_steps: 2\nrates: "
           "[0.02]\n"
           "evaluations: 3\nseeds: 2\nvalidation: 5\ntest: 7\n";
}

std::string pixels(const TemporaryFolder& folder, const std::string& more = "") {
    return "{use: pixels, validation_share: 0.2, images: {use: file, training: " +
           SmallImages(30, 6).written(folder, "training") +
           ", test: " + SmallImages(12, 6, 50).written(folder, "test") + "}" + more + "}";
}

SourceList<LongTask> tasks_of(const std::string& text) {
    const config::Value config = parsed(study(), text);
    return long_tasks(config, study_stream(config, "training/long-range"));
}

config::Value entry_of(const config::Value& config, const std::string& method) {
    for (const config::Value& entry : config.at("methods").items())
        if (entry.at("use").text() == method) return entry;
    throw std::invalid_argument(method);
}

}  // namespace

TEST_CASE("training/long-range: a cell is the training of its network, and how much of what is held out it knows",
          "[experiments]") {
    const config::Value config = parsed(study(), yaml(lists));
    const Sweep sweep = study().prepare(config);
    for (const std::string method : {"exact", "linformer", "nystrom"}) {
        INFO(method);
        const auto data = computed(sweep, {"task=lists", "method=" + method, "seed=1"});
        const Stream root = study_stream(config, "training/long-range").child("lists"), seed = root.child(1);
        const training::ListOperations how{.min_length = 4, .max_length = 12, .depth = 2};
        const auto drawn = [&](int count, const Stream& stream) {
            std::vector<networks::Sequence<float>> all;
            for (int i = 0; i < count; ++i) {
                const training::List list = draw_list(how, stream.child(static_cast<std::uint64_t>(i)));
                all.push_back({.tokens = list.tokens, .targets = {{0, list.value}}});
            }
            return all;
        };
        networks::TransformerShape shape;
        shape.vocabulary = 15;
        shape.positions = 12;
        shape.layers = 1;
        shape.heads = 2;
        shape.width = 8;
        shape.inner = 12;
        shape.visible = attention::Visible::all;
        shape.read_out = networks::ReadOutOf::mean;
        shape.outputs = 10;
        networks::Heads heads;
        for (std::uint64_t h = 0; h < 2; ++h)
            heads.push_back(find_method(method)
                                .make(entry_of(config, method))
                                ->layers()
                                ->layer({12, 4, 4}, sampling::find("orthogonal"),
                                        seed.child("features").child(method).child(h).child(0)));
        const networks::Transformer network(shape, heads);
        networks::Trainer<float> trainer(network, network.start({}, seed.child("start")),
                                         {.steps = 6, .batch = 2, .rate = 0.02, .max_norm = 1}, 2);
        const auto validation = drawn(5, root.child("validation")), test = drawn(7, root.child("test"));
        std::vector<double> losses, looks, known, test_known;
        for (int step = 0; step < 6; ++step) {
            const auto batch = drawn(3, seed.child("batches").child(static_cast<std::uint64_t>(step)));
            losses.push_back(trainer.step(batch).loss.sum / 3);
            if (step % 2 == 0) continue;
            const networks::Loss loss = trainer.evaluate(validation).loss;
            looks.push_back(loss.sum / 5);
            known.push_back(static_cast<double>(loss.right) / 5);
            test_known.push_back(static_cast<double>(trainer.evaluate(test).loss.right) / 7);
        }
        CHECK(values(data, "loss") == means_of(2, losses));
        CHECK(values(data, "validation_loss") == looks);
        CHECK(values(data, "validation_accuracy") == known);
        CHECK(values(data, "test_accuracy") == test_known);
        CHECK(value(data, "accuracy") == test_known.back());
        CHECK(value(data, "nonpositive") == 0);
        std::map<int, double> classes;
        for (const auto& sequence : test) classes[sequence.targets[0].value] += 1 / 7.0;
        double most = 0;
        for (const auto& [one, share] : classes) most = std::max(most, share);
        CHECK(value(data, "chance") == Approx(most).epsilon(1e-15));
    }
}

TEST_CASE("training/long-range: lists to train on, to choose rates by and to test with are drawn apart",
          "[experiments]") {
    const auto tasks = tasks_of(yaml("{use: lists, shortest: 24, longest: 48, batch: 40}"));
    const LongTask& task = tasks.axis.values.front();
    std::set<std::vector<int>> all;
    std::size_t count = 0;
    const auto add = [&](const LongTask::Sequences& some) {
        for (const auto& sequence : some) {
            REQUIRE(sequence.targets.size() == 1);
            CHECK(sequence.targets[0].token == 0);
            // The class is not among the tokens: they are a list and nothing else.
            CHECK(sequence.tokens.front() >= 10);
            CHECK(sequence.tokens.front() < 14);
            CHECK(sequence.tokens.back() == 14);
            CHECK(sequence.length() <= task.longest);
            all.insert(sequence.tokens);
            ++count;
        }
    };
    add(task.validation(200));
    add(task.test(200));
    for (std::uint64_t step = 0; step < 5; ++step) add(task.mini_batch(Stream(9).child(step)));
    CHECK(count == 600);
    CHECK(all.size() == count);
    // More of them have the same first ones.
    CHECK(task.test(3)[2].tokens == task.test(200)[2].tokens);
}

TEST_CASE("training/long-range: lists have the operations that a task names", "[experiments]") {
    const std::map<std::string, int> tokens{{"max", 10}, {"min", 11}, {"median", 12}, {"sum", 13}};
    for (const auto& [name, token] : tokens) {
        const auto tasks = tasks_of(yaml("{use: lists, operations: " + name + ", batch: 2}"));
        for (const auto& sequence : tasks.axis.values.front().test(20))
            for (const int one : sequence.tokens) CHECK((one < 10 || one == token || one == 14));
    }
    // All four are what is drawn where none is named.
    const auto all = tasks_of(yaml("{use: lists, operations: [max, min, median, sum], batch: 2}")),
               unnamed = tasks_of(yaml("{use: lists, batch: 2}"));
    for (std::size_t i = 0; i < 20; ++i)
        CHECK(all.axis.values.front().test(20)[i].tokens == unnamed.axis.values.front().test(20)[i].tokens);
}

TEST_CASE("training/long-range: positions begin as sinusoids where these are asked for", "[experiments]") {
    const auto loss = [&](const char* positions) {
        const std::string text = yaml(lists, "[exact]") + positions;
        return values(computed(study().prepare(parsed(study(), text)), {"method=exact", "seed=0"}), "loss").front();
    };
    CHECK(loss("initial_positions: drawn\n") == loss(""));
    CHECK(loss("initial_positions: sinusoids\n") != loss(""));
}

TEST_CASE("training/long-range: pixels are tokens of one number, and nothing else is", "[experiments]") {
    const TemporaryFolder folder;
    const std::string text = yaml(pixels(folder, ", batch: 4"));
    const auto tasks = tasks_of(text);
    const LongTask& task = tasks.axis.values.front();
    CHECK(task.inputs == 1);
    CHECK(task.vocabulary == 0);
    CHECK(task.longest == 36);
    CHECK(task.classes == 3);
    CHECK(task.mini_batch(Stream(1)).size() == 4);
    const SmallImages held_out(12, 6, 50);
    const auto test = task.test(100);
    REQUIRE(test.size() == 12);
    for (std::size_t i = 0; i < 12; ++i) {
        REQUIRE(test[i].rows.rows() == 36);
        REQUIRE(test[i].rows.cols() == 1);
        for (Index p = 0; p < 36; ++p)
            CHECK(test[i].rows(p, 0) == static_cast<float>(static_cast<unsigned char>(
                                            held_out.pixels[i * 36 + static_cast<std::size_t>(p)])) /
                                                127.5F -
                                            1);
        CHECK(test[i].targets[0].value == static_cast<int>(i % 3));
    }
    // And it is trained.
    const auto data = computed(study().prepare(parsed(study(), text)), {"task=pixels", "method=linformer", "seed=0"});
    CHECK(std::isnan(value(data, "diverged_at")));
    // Seven images at equal distances, 0, 1, 3, 5, 6, 8 and 10, are of classes 0, 1, 0, 2, 0, 2 and 1.
    CHECK(value(data, "chance") == Approx(3 / 7.0));
    // Thirds of rows tell classes apart, without attention.
    CHECK(value(data, "linear") == 1);
    const std::string drawn = yaml("{use: lists, shortest: 8, longest: 16, depth: 2, batch: 4}");
    CHECK(
        std::isnan(value(computed(study().prepare(parsed(study(), drawn)), {"method=linformer", "seed=0"}), "linear")));
}

namespace {

std::string report_note(const store::Dataset& data) { return study().report(data).tables.at(0).notes.at(0); }

}  // namespace

TEST_CASE("training/long-range: what is shown of each task", "[experiments]") {
    const std::vector<std::string> cell{"task", "method", "seed"}, look{"task", "method", "seed", "step"},
        rate{"task", "method", "seed", "rate"};
    store::Dataset data{{{"task", std::vector<std::string>{"lists", "pixels"}, "", ""},
                         {"method", std::vector<std::string>{"a"}, "", ""},
                         {"rate", std::vector<double>{0.01, 0.1}, "", ""},
                         {"seed", std::vector<double>{0, 1}, "", ""},
                         {"step", std::vector<double>{6}, "", ""}},
                        {},
                        {}};
    const double nan = std::nan("");
    const std::vector<double> shares{0.1, 0.2, 0.1, 0.3};
    data.variables = {{"validation_accuracy", look, shares, "", ""},
                      {"test_accuracy", look, shares, "", ""},
                      {"accuracy", cell, shares, "", ""},
                      {"chance", cell, {0.15, 0.15, 0.12, 0.12}, "", ""},
                      {"nonpositive", cell, std::vector<double>(4, 0), "", ""},
                      {"diverged_at", cell, {nan, nan, nan, nan}, "", ""},
                      {"divergence", cell, {0, 0, 0, 0}, "", ""},
                      {"chosen_rate", cell, {0.01, 0.01, 0.1, 0.1}, "", ""},
                      {"trial_loss", rate, {1, 2, 1, 2, 2, 1, nan, 1}, "", ""},
                      {"trial_diverged_at", rate, {nan, nan, nan, nan, nan, nan, 3, nan}, "", ""},
                      {"trial_divergence", rate, {0, 0, 0, 0, 0, 0, 2, 0}, "", ""}};
    const Report report = study().report(data);
    REQUIRE(report.tables.size() == 2);
    const std::string table = report::markdown(report.tables[0]);
    CHECK(contains(table, "15"));
    CHECK(contains(table, "0.01: 1 of 2 seeds: the gradient is not finite, first at step 3"));
    REQUIRE(report.figures[0].panels.size() == 4);
    CHECK(report.figures[0].panels[1].series[0].y[0] == Approx(0.15));
    CHECK(report.figures[0].panels[3].series[0].y[0] == Approx(0.2));
    CHECK(report.figures[0].panels[0].horizontal[0].at == 0.15);
    REQUIRE(report.figures[0].panels[2].horizontal.size() == 1);

    // A linear classifier, where there is one, is the measure of attention.
    data.attributes["softmax"] = "a";
    CHECK(contains(report_note(data),
                   "pixels: Softmax attention is 8.00 ± 127.06 percentage points better than the "
                   "most frequent class (12); 20 are asked for"));
    data.variables.push_back({"linear", cell, {nan, nan, 0.5, 0.5}, "", ""});
    CHECK(study().report(data).figures[0].panels[2].horizontal.at(1).at == 0.5);
    CHECK(contains(report_note(data),
                   "pixels: Softmax attention is 30.00 ± 127.06 percentage points worse than a "
                   "linear classifier (50); 2 are asked for: this run cannot judge attention."));
    CHECK(contains(report_note(data),
                   "lists: Softmax attention is 0.00 ± 63.53 percentage points better than the most "
                   "frequent class (15)"));
    CHECK(contains(report::markdown(study().report(data).tables[0]), "linear classifier"));

    // Validation data are right on 0.1 and 0.3: lists are not solved, pixels by the seed that is 0.02 above 0.15.
    const auto solved = [&] {
        const report::Table shown = study().report(data).tables[0];
        const auto column =
            static_cast<std::size_t>(std::find_if(shown.columns.begin(), shown.columns.end(),
                                                  [](const report::Column& one) { return one.title == "solved"; }) -
                                     shown.columns.begin());
        std::vector<std::string> all;
        for (const report::Row& row : shown.rows)
            for (const std::size_t at : {column, column + 1})
                all.push_back(report::entry_text(row.entries.at(at), report::format_of(shown, at)));
        return all;
    };
    data.variables.back().values = {nan, nan, 0.15, 0.15};
    CHECK(solved() == std::vector<std::string>{"0.00", "–", "50.00", "6"});
    data.variables.back().values = {nan, nan, 0.29, 0.29};
    CHECK(solved() == std::vector<std::string>{"0.00", "–", "0.00", "–"});
    // The cells of lists, and the seed that solves pixels, are not there yet.
    for (store::Variable& one : data.variables)
        if (one.name == "chosen_rate") one.values = {nan, nan, 0.1, nan};
    data.variables.back().values = {nan, nan, 0.15, 0.15};
    CHECK(solved() == std::vector<std::string>{"–", "–", "0.00", "–"});
    const auto accuracy = std::find_if(data.variables.begin(), data.variables.end(),
                                       [](const store::Variable& one) { return one.name == "accuracy"; });
    accuracy->values = {nan, nan, nan, nan};
    CHECK(contains(report_note(data),
                   "lists: Softmax attention is not trained yet. pixels: Softmax attention "
                   "diverged: this run cannot judge attention."));
}

TEST_CASE("training/long-range: tasks and methods that do not fit are refused at their place", "[experiments]") {
    const auto said = [&](const std::string& text) { return refusal([&] { study().prepare(parsed(study(), text)); }); };
    CHECK(contains(said(yaml("{use: lists, shortest: 40, depth: 1}")),
                   "lists: 40 to 64 tokens; lists of depth 1 and 5 arguments have at least 4, and at most 7"));
    CHECK(contains(said(yaml("{use: list}")), "lists"));
    CHECK(contains(said(yaml(std::string(lists) + ", {use: lists, depth: 3}")),
                   "an earlier source is called 'lists' too"));
    CHECK(contains(said(yaml("{use: lists, operations: [max, max]}")),
                   "tasks.0.operations.1: 'max' is in the "
                   "list twice"));
    CHECK(contains(said(yaml("{use: lists, operations: [largest]}")), "Allowed: max, min, median, sum"));
    const TemporaryFolder folder;
    CHECK(contains(said(yaml(pixels(folder, ", patch: 4"))), "patch: 4 pixels do not divide"));
    // Who sees all tokens cannot continue a text.
    const std::string text = "text: " + folder.write("lines.txt", std::string(2000, 'a')) +
                             "\nlength: 8\nsteps: 1\nrates: [0.01]\nseeds: 2\nmethods: ";
    const Study& causal = find("training", "text");
    for (const std::string method : {"linformer", "nystrom"})
        CHECK(contains(refusal([&] { causal.prepare(parsed(causal, text + "[exact, " + method + "]\n")); }),
                       "'" + method + "' is no layer of a causal network that is trained, which this study needs"));
}
