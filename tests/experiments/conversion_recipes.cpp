// Recipes of conversion/recovery beyond swapping, distilling head by head and tuning all weights: training from scratch
// beside it, hidden states and logits of the teacher, updates of low rank, windows with features, pictures.
#include <cmath>

#include "catch.hpp"
#include "conversion/conversion.hpp"
#include "conversions.hpp"
#include "rfbench/networks/trainer.hpp"
#include "sources/network_tasks.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::conversions;

namespace {

const Study& converted() { return find("conversion", "recovery"); }

constexpr std::size_t when_swapped = 0, when_distilled = 2, when_tuned = 3;

/// More steps of distilling, and by more sequences, than the tests of stages have.
std::string distilled_longer(std::string yaml) {
    const std::string few = "fitted_on: 3\ndistil_steps: 2\n";
    return yaml.replace(yaml.find(few), few.size(), "fitted_on: 40\ndistil_steps: 100\n");
}

}  // namespace

TEST_CASE("conversion/recovery: a network from scratch is trained as the teacher was, by all sequences that both saw",
          "[experiments]") {
    const std::string begun = std::string(recall) + ", rate: 0.01, gain: 0.7, initial_positions: sinusoids";
    const Trained trained(source(begun.c_str(), 4));
    // Mini-batches of two thirds of the teacher's size: 4 x 3 sequences are six of them.
    const std::string tuned_by = "{use: recall, length: 12, vocabulary: 8, pairs: 2, batch: 2, steps: 3, rate: 0.002}";
    const std::string text = yaml(tuned_by, "{use: exact, scratch: true}, uniform");
    const auto data = computed(prepared(converted(), text), {"method=exact", "seed=1"});
    CHECK(value(data, "scratch_tokens") == 9 * 2 * 12);

    const config::Value config = parsed(converted(), text);
    const Stream study = study_stream(config, "conversion/recovery");
    const NetworkTask task = network_tasks(config, study).axis.values.at(0);
    const StoredNetwork teacher = read_network(trained.data(), "recall", 1);
    const Stream own = study.child("recall").child(std::uint64_t{1}).child("scratch");
    const networks::Transformer network(teacher.network.shape());
    const networks::Initialization begins{.gain = 0.7, .positions = networks::InitialPositions::sinusoids};
    networks::Trainer<float> trainer(network, network.start(begins, own.child("start")), {9, 1, 0.01, 1}, 20);
    for (std::uint64_t step = 0; step < 9; ++step) trainer.step(task.mini_batch(own.child("batches").child(step)));
    const networks::Loss last = trainer.evaluate(task.held_out(5)).loss;
    CHECK(values(data, "scratch_loss").back() == last.mean());
    CHECK(values(data, "scratch_accuracy").back() == last.accuracy());

    const auto none = computed(prepared(converted(), text), {"method=uniform", "seed=1"});
    CHECK(std::isnan(value(none, "scratch_tokens")));
    for (const double loss : values(none, "scratch_loss")) CHECK(std::isnan(loss));
}

TEST_CASE("conversion/recovery: from scratch, too, softmax recovers all and uniform attention nothing",
          "[experiments]") {
    const Trained trained(source(recall, 30));
    const std::string text = yaml(source(recall, 3),
                                  "{use: exact, scratch: true}, {use: uniform, scratch: true}, "
                                  "{use: positive, scratch: true}, linear-transformer");
    const Report report = converted().report(collected(converted(), text));
    const report::Table& table = table_named(report, "recovery-scratch");
    // linear-transformer is not trained from scratch.
    REQUIRE(table.rows.size() == 3);
    REQUIRE(table.columns.at(7).title == "recovered from scratch");
    const auto value = [&](std::size_t row, std::size_t column) {
        return std::get<report::Estimate>(table.rows.at(row).entries.at(column)).value;
    };
    CHECK(value(0, 7) == 1);
    CHECK(value(1, 7) == 0);
    CHECK(value(0, 9) == 1);
    for (std::size_t row = 0; row < 3; ++row)
        CHECK(value(row, 6) == Approx(value(row, 5) - value(row, 4)).margin(1e-15));
    const auto none = converted().report(collected(converted(), yaml(source(recall, 1))));
    for (const report::Table& one : none.tables) CHECK(one.name != "recovery-scratch");
}

TEST_CASE("conversion/recovery: what has nothing to train from scratch is refused at its place", "[experiments]") {
    const Trained trained(source(recall, 2));
    CHECK(refused(converted(), yaml(source(recall, 1), "exact, uniform, {use: optimal-density, scratch: true}"))
              .find("'optimal-density' is no layer of a network that is trained") != std::string::npos);
}

TEST_CASE("conversion/recovery: heads of one layer are distilled as learned/match trains them", "[experiments]") {
    const Trained trained(source(lists, 30));
    const std::string text =
        yaml(source(lists, 1), "exact, uniform, {use: luna, channels: 2, hidden: 2, distil: outputs}");
    const auto data = computed(prepared(converted(), text), {"method=luna", "seed=0"});

    const config::Value config = parsed(converted(), text);
    const Stream study = study_stream(config, "conversion/recovery");
    const NetworkTask task = network_tasks(config, study).axis.values.at(0);
    const Stream seed = study.child("lists").child(std::uint64_t{0}), own = seed.child("heads").child("luna");
    const StoredNetwork teacher = read_network(trained.data(), "lists", 0);
    const networks::TransformerShape& shape = teacher.network.shape();
    const std::vector<MethodChoice> choices = methods(config, converted().methods);
    const networks::Heads heads = HeadRecipe(choices.at(2), shape, equal_columns(shape, 8), {}, own).swapped().value();
    const networks::Transformer network(shape, heads);
    const Vector start = network.start({}, own.child("start"));
    const TeacherHeads seen = teacher_heads(teacher, training_sequences(task, seed, 3)),
                       judged = teacher_heads(teacher, task.held_out(2));
    // Heads of the first layer, which see what the teacher's see.
    for (const std::size_t head : {0, 1}) {
        const networks::Parameter& part = network.layer(0).attention().head_parameters()[head];
        const Vector begun = start.segment(part.first, part.size()).cast<float>().cast<double>();
        const Vector found = training::match_softmax(training::Matched::outputs, *heads[head], begun, seen[head],
                                                     attention::Visible::all, {2, 2, 0.01, 1},
                                                     own.child(static_cast<std::uint64_t>(head)).child("distilled"))
                                 .parameters;
        const double expected =
            training::mismatch(*heads[head], found.cast<float>().cast<double>(), judged[head], attention::Visible::all)
                .relative_error;
        // Queries, keys and values went through a network in float.
        CHECK(values(data, "output_error")[4 * when_distilled + head] == Approx(expected).epsilon(1e-5));
        CHECK(values(data, "output_error")[4 * when_swapped + head] != Approx(expected).epsilon(1e-3));
    }
}

TEST_CASE("conversion/recovery: hidden states of the teacher are matched by attention alone", "[experiments]") {
    const Trained trained(source(recall, 20));
    const Sweep sweep = prepared(converted(), distilled_longer(yaml(source(recall, 1),
                                                                    "exact, uniform, {use: hedgehog, distil: hidden}, "
                                                                    "{use: exact, label: itself, distil: hidden}")));
    const auto data = computed(sweep, {"method=hedgehog", "seed=0"});
    // The loss is the mean of their squares over layers; these are of sequences held out.
    const auto& errors = values(data, "hidden_error");
    const auto squares = [&](std::size_t stage) {
        return std::pow(errors[2 * stage], 2) + std::pow(errors[2 * stage + 1], 2);
    };
    CHECK(squares(when_distilled) < squares(when_swapped));
    CHECK(values(data, "acts") == std::vector<double>{1, 0, 1, 1});
    // The teacher's own attention has nothing to match.
    const auto itself = computed(sweep, {"method=itself", "seed=0"});
    CHECK(values(itself, "moved")[when_distilled] == 0);
    CHECK(values(itself, "moved")[when_tuned] > 0);
}

TEST_CASE("conversion/recovery: a network is tuned to the teacher's outputs, and not to targets", "[experiments]") {
    const Trained trained(source(recall, 20));
    const Sweep sweep =
        prepared(converted(), yaml(source(recall, 3),
                                   "exact, uniform, {use: exact, label: itself, tune: logits}, positive, "
                                   "{use: positive, label: to logits, tune: logits}"));
    // A network that gives the teacher's outputs is left as it is.
    CHECK(values(computed(sweep, {"method=itself", "seed=0"}), "moved")[when_tuned] == 0);
    const auto targets = computed(sweep, {"method=positive", "seed=0"}),
               logits = computed(sweep, {"method=to logits", "seed=0"});
    CHECK(values(logits, "moved")[when_tuned] > 0);
    CHECK(values(logits, "loss")[when_tuned] != values(targets, "loss")[when_tuned]);
}

TEST_CASE("conversion/recovery: updates of low rank move less than all weights", "[experiments]") {
    const Trained trained(source(recall, 20));
    const Sweep sweep =
        prepared(converted(), yaml(source(recall, 3), "exact, uniform, {use: exact, label: low, low_rank: 1}"));
    const auto low = computed(sweep, {"method=low", "seed=0"}), all = computed(sweep, {"method=exact", "seed=0"});
    CHECK(values(low, "moved")[when_tuned] > 0);
    CHECK(values(low, "moved")[when_tuned] < values(all, "moved")[when_tuned]);
    CHECK(values(low, "moved")[when_distilled] == 0);
}

TEST_CASE("conversion/recovery: of windows with features either branch is taken away", "[experiments]") {
    const Trained trained(source(recall, 20) + ", " + source(lists, 2));
    const std::string text = yaml(source(recall, 2) + ", " + source(lists, 1),
                                  "exact, uniform, {use: lolcats, label: short, window: 3}, "
                                  "{use: lolcats, label: whole, window: 12}");
    const Sweep sweep = prepared(converted(), text);
    // Without features a window as long as the sequence has lost nothing; without the window it has.
    const auto whole = computed(sweep, {"source=recall", "method=whole", "seed=0"});
    CHECK(values(whole, "without_loss")[1] == Approx(values(whole, "loss")[when_tuned]).epsilon(1e-6));
    CHECK(values(whole, "without_loss")[0] != values(whole, "loss")[when_tuned]);
    const auto few = computed(sweep, {"source=recall", "method=short", "seed=0"});
    CHECK(values(few, "without_loss")[1] != values(few, "loss")[when_tuned]);
    const auto none = computed(sweep, {"source=recall", "method=exact", "seed=0"});
    for (const double loss : values(none, "without_loss")) CHECK(std::isnan(loss));
    // Causal alone: lists, whose tokens see all others, have no cell of it, and the table says why.
    for (const engine::Cell& cell : sweep.cells())
        CHECK_FALSE((has(cell, "source=lists") && has(cell, "method=short")));
    const Report report = converted().report(collected(converted(), text));
    CHECK(table_named(report, "recovery-branches").rows.size() == 2);
    const auto& notes = table_named(report, "recovery").notes;
    CHECK(std::any_of(notes.begin(), notes.end(),
                      [](const std::string& one) { return one.starts_with("'short' is causal alone"); }));
}

TEST_CASE("conversion/recovery: pictures are the weights, mean over heads", "[experiments]") {
    const Trained trained(source(recall, 20));
    const std::string text = yaml(source(recall, 1), "exact, uniform, positive") + "pictured: 14\n";
    const Sweep sweep = prepared(converted(), text);
    const auto picture = [&](const char* method) { return values(computed(sweep, {method, "seed=0"}), "attention"); };
    const auto uniform = picture("method=uniform"), exact = picture("method=exact");
    for (std::size_t i = 0; i < 14; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < 14; ++j) {
            const double weight = uniform[i * 14 + j];
            // The sequence has twelve tokens.
            if (i >= 12 || j >= 12) {
                CHECK(std::isnan(weight));
                continue;
            }
            CHECK(std::abs(weight - (j <= i ? 1.0 / static_cast<double>(i + 1) : 0)) <= 0.5 / 1024);
            sum += exact[i * 14 + j];
        }
        // Each of at most twelve weights is rounded to a 1024th.
        if (i < 12) CHECK(std::abs(sum - 1) <= 6.0 / 1024);
    }
    const Report report = converted().report(collected(converted(), text));
    const auto figure = std::find_if(report.figures.begin(), report.figures.end(),
                                     [](const report::Figure& one) { return one.name == "recovery-attention-recall"; });
    REQUIRE(figure != report.figures.end());
    REQUIRE(figure->panels.size() == 4);
    CHECK(figure->panels[1].title == "positive, swapped");
    const auto& map = figure->panels[0].map.value();
    REQUIRE(map.x.size() == 12);
    // z by key, then by query: the first token sees itself alone.
    CHECK(map.z[0] == 1);
    CHECK(map.z[12] == 0);
}
