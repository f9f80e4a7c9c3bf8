// The studies of trained networks on small configurations.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "catch.hpp"
#include "cells.hpp"
#include "rfbench/models/gpt2_folder.hpp"
#include "rfbench/report/table.hpp"
#include "sources/texts.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"
#include "support/temporary_folder.hpp"
#include "training/attention_picture.hpp"
#include "training/network_report.hpp"
#include "training/network_training.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::tests;

namespace {

const Study& text_study_there() { return find("training", "text"); }

/// 40 lines that differ in a number, some characters of which have two bytes.
std::string lines() {
    std::string text;
    for (int i = 0; i < 40; ++i) text += "line " + std::to_string(i * i) + ": caf\xc3\xa9\n";
    return text;
}

/// Bytes a character of a part of such a text; characters of two bytes end with A9.
double bytes_a_character(const std::string& part) {
    return static_cast<double>(part.size()) /
           static_cast<double>(part.size() - static_cast<std::size_t>(std::count(part.begin(), part.end(), '\xa9')));
}

std::string yaml(const std::string& file, const std::string& more = "") {
    return "text: " + file +
           "\nmethods: [exact, {use: positive, redraw: 2}, {use: optimal-positive}]\nlength: 12\nlayers: 1\nheads: 2\n"
           "width: 8\ninner: 12\ncolumns: 8\nsteps: 6\nbatch: 3\nwarmup_steps: 2\nrates: [0.02]\nevaluations: "
           "3\nseeds: 2\n"
           "pieces: 2\nvalidation_share: 0.1\ntest_share: 0.1\n" +
           more;
}

/// Shape of the network that yaml() asks for.
networks::TransformerShape shape_of_yaml() {
    networks::TransformerShape shape;
    shape.vocabulary = 256;
    shape.positions = 12;
    shape.layers = 1;
    shape.heads = 2;
    shape.width = 8;
    shape.inner = 12;
    return models::gpt2_shape(shape);
}

}  // namespace

TEST_CASE("training/text: a cell is the training of its network, its losses and the bits of what is held out",
          "[experiments]") {
    const TemporaryFolder folder;
    const std::string file = folder.write("lines.txt", lines());
    const config::Value config = parsed(text_study_there(), yaml(file, "models: " + folder.file("models") + "\n"));
    const Sweep sweep = text_study_there().prepare(config);
    const auto data = computed(sweep, {"method=exact", "seed=1"});

    const Text text(config);
    const Stream seed = study_stream(config, "training/text").child(1);
    const networks::Transformer network(shape_of_yaml());
    networks::Trainer<float> trainer(network, network.start({}, seed.child("start")),
                                     {.steps = 6, .batch = 3, .rate = 0.02, .max_norm = 1}, 2);
    std::vector<double> losses, looks, right;
    for (int step = 0; step < 6; ++step) {
        const auto batch = text.batch(3, seed.child("batches").child(static_cast<std::uint64_t>(step)));
        losses.push_back(trainer.step(batch).loss.sum / 36);
        if (step % 2 == 0) continue;
        const networks::Loss look = trainer.evaluate(text.spread(text.validation, 2)).loss;
        looks.push_back(look.sum / 24);
        right.push_back(static_cast<double>(look.right) / 24);
    }
    CHECK(values(data, "loss") == means_of(2, losses));
    CHECK(values(data, "validation_loss") == looks);
    CHECK(values(data, "validation_accuracy") == right);
    const networks::Loss held_out = trainer.evaluate(text.spread(text.test, 2)).loss;
    CHECK(value(data, "bits_per_character") ==
          Approx(held_out.sum / 24 / std::log(2.0) * bytes_a_character(text.test)).epsilon(1e-12));
    CHECK(value(data, "accuracy") == static_cast<double>(held_out.right) / 24);
    CHECK(std::isnan(value(data, "diverged_at")));
    // The picture is of the first seed: softmax of each head's scores over the tokens before, to a 1024th.
    for (const double weight : values(data, "attention")) CHECK(std::isnan(weight));
    const auto piece = text.spread(text.test, 1).front();
    const auto heads = network.heads(trainer.weights(), piece).back();
    for (std::size_t h = 0; h < 2; ++h) {
        Points weights = Points::Zero(12, 12);
        for (Index i = 0; i < 12; ++i) {
            const Eigen::RowVectorXd scores = (heads[h].queries.row(i) * heads[h].keys.transpose()).cast<double>() / 2;
            weights.row(i).head(i + 1) = scores.head(i + 1).array().exp();
            weights.row(i) /= weights.row(i).sum();
        }
        CHECK(values(data, "near_diagonal")[h] == Approx(near_diagonal(weights)).epsilon(1e-5));
        CHECK(values(data, "largest_column")[h] == Approx(largest_column(weights)).epsilon(1e-5));
    }
    const auto first = computed(sweep, {"method=exact", "seed=0"});
    const auto& weights = values(first, "attention");
    REQUIRE(weights.size() == 2 * 12 * 12);
    for (std::size_t row = 0; row < 24; ++row) {
        double sum = 0;
        for (std::size_t j = 0; j < 12; ++j) {
            const double weight = weights[row * 12 + j];
            CHECK((j <= row % 12 ? weight >= 0 : weight == 0));
            CHECK(weight * 1024 == std::round(weight * 1024));
            sum += weight;
        }
        CHECK(std::abs(sum - 1) <= 12 * 0.5 / 1024 + 1e-6);
    }
    // The network that was written is the one that was trained.
    const auto written = models::read_gpt2<float>(folder.path() / "models" / "seed-1");
    CHECK((written.weights.values().array() == trainer.weights().values().array()).all());
}

TEST_CASE("training/text: RetNet's weights are those before its group normalization", "[experiments]") {
    const TemporaryFolder folder;
    std::string retnet = yaml(folder.write("lines.txt", lines()));
    const std::string methods = "[exact, {use: positive, redraw: 2}, {use: optimal-positive}]";
    retnet.replace(retnet.find(methods), methods.size(), "[retnet]");
    const config::Value config = parsed(text_study_there(), retnet);
    const auto data = computed(text_study_there().prepare(config), {"method=retnet", "seed=0"});
    const auto& weights = values(data, "attention");
    REQUIRE(weights.size() == 2 * 12 * 12);
    for (std::size_t at = 0; at < weights.size(); ++at) {
        const std::size_t query = at / 12 % 12, key = at % 12;
        INFO("query " << query << ", key " << key);
        if (key > query) CHECK(weights[at] == 0);
        if (key == query && query == 0) CHECK(weights[at] != 0);
    }
}

TEST_CASE("training/text: features are each head's own, drawn again as asked, and shares are of all denominators",
          "[experiments]") {
    const TemporaryFolder folder;
    std::string text = yaml(folder.write("lines.txt", lines()));
    text.replace(text.find("positive, redraw"), 8, "trigonometric");
    const config::Value config = parsed(text_study_there(), text);
    const auto data = computed(text_study_there().prepare(config), {"method=trigonometric", "seed=1"});

    const Text pieces(config);
    const NetworkSetting setting(config);
    const MethodChoice& choice = setting.methods.values[1];
    const Stream seed = study_stream(config, "training/text").child(1);
    const auto heads = [&](std::uint64_t draw) {
        networks::Heads both;
        for (std::uint64_t h : {0, 1})
            both.push_back(choice->layers()->layer({12, 4, 8}, sampling::find("orthogonal"),
                                                   seed.child("features").child("trigonometric").child(h).child(draw)));
        return both;
    };
    networks::Transformer network(shape_of_yaml(), heads(0));
    networks::Trainer<float> trainer(network, network.start({}, seed.child("start")),
                                     {.steps = 6, .batch = 3, .rate = 0.02, .max_norm = 1}, 2);
    std::vector<double> losses, bits;
    const double per_byte = bytes_a_character(pieces.validation) / std::log(2.0);
    for (int step = 0; step < 6; ++step) {
        if (step > 0 && step % 2 == 0) network.replace_heads(heads(static_cast<std::uint64_t>(step / 2)));
        const auto batch = pieces.batch(3, seed.child("batches").child(static_cast<std::uint64_t>(step)));
        losses.push_back(trainer.step(batch).loss.sum / 36);
        if (step % 2 == 1)
            bits.push_back(trainer.evaluate(pieces.spread(pieces.validation, 2)).loss.sum / 24 * per_byte);
    }
    CHECK(values(data, "loss") == means_of(2, losses));
    REQUIRE(values(data, "validation_bits").size() == 3);
    for (std::size_t i = 0; i < 3; ++i) CHECK(values(data, "validation_bits")[i] == Approx(bits[i]).epsilon(1e-12));
    const auto held_out = trainer.evaluate(pieces.spread(pieces.test, 2)).rows.nonpositive;
    REQUIRE(held_out > 0);
    CHECK(value(data, "nonpositive") == static_cast<double>(held_out) / (24 * 2));
}

TEST_CASE("training/text: parts of a text lie after one another, and pieces go on by one token", "[experiments]") {
    const TemporaryFolder folder;
    const std::string whole = lines();
    const Text text(parsed(text_study_there(), yaml(folder.write("lines.txt", whole))));
    CHECK(text.training + text.validation + text.test == whole);
    CHECK(text.test.size() == whole.size() / 10);
    const auto batch = text.batch(50, Stream(3));
    for (const auto& piece : batch) {
        REQUIRE(piece.tokens.size() == 12);
        std::string bytes;
        for (const int token : piece.tokens) bytes += static_cast<char>(token);
        bytes += static_cast<char>(piece.targets.back().value);
        CHECK(text.training.find(bytes) != std::string::npos);
        for (std::size_t i = 0; i + 1 < 12; ++i) CHECK(piece.targets[i].value == piece.tokens[i + 1]);
    }
    CHECK(text.spread(text.test, 1000).size() == (text.test.size() - 1) / 12);
}

TEST_CASE("training/text: tables have what was chosen, what diverged and what needs no attention", "[experiments]") {
    store::Dataset data{{{"method", std::vector<std::string>{"a"}, "", ""},
                         {"seed", std::vector<double>{0, 1}, "", ""},
                         {"rate", std::vector<double>{0.01, 10}, "", ""},
                         {"step", std::vector<double>{2, 4}, "", ""},
                         {"order", std::vector<double>{0, 1, 2, 3, 4, 5}, "", ""},
                         {"layer", std::vector<double>{0, 1}, "", ""},
                         {"head", std::vector<double>{0, 1}, "", ""},
                         {"query", std::vector<double>{0, 1}, "", ""},
                         {"key", std::vector<double>{0, 1}, "", ""}},
                        {},
                        {{"softmax", "a"}}};
    const double nan = std::nan("");
    const std::vector<std::string> cell{"method", "seed"};
    const auto over = [&](const char* axis) { return std::vector<std::string>{"method", "seed", axis}; };
    const std::vector<double> counts{6, 5, 4, 3, 2, 1, nan, nan, nan, nan, nan, nan};
    data.variables = {
        {"validation_bits", over("step"), {3, 2.5, 3, 2.75}, "", ""},
        {"bits_per_character", cell, {2.5, 2.75}, "", ""},
        {"within_bits", cell, {2.25, 2.5}, "", ""},
        {"accuracy", cell, {0.5, 0.25}, "", ""},
        {"nonpositive", cell, {0, 0}, "", ""},
        {"diverged_at", cell, {nan, nan}, "", ""},
        {"divergence", cell, {0, 0}, "", ""},
        {"chosen_rate", cell, {0.01, 0.01}, "", ""},
        {"trial_loss", over("rate"), {2, 3, 2.5, nan}, "", ""},
        {"trial_diverged_at", over("rate"), {nan, nan, nan, 3}, "", ""},
        {"trial_divergence", over("rate"), {0, 0, 0, 2}, "", ""},
        {"counts_bits", over("order"), counts, "", ""},
        {"counts_within_bits", over("order"), counts, "", ""},
        {"near_diagonal", {"method", "seed", "layer", "head"}, {0.5, 0.25, 0.5, 1, 0.5, 0.25, 0.5, 1}, "", ""},
        {"largest_column", {"method", "seed", "layer", "head"}, {0.5, 0.25, 0.5, 1, 0.5, 0.25, 0.5, 1}, "", ""},
        {"uniform_near_diagonal", cell, {0.125, 0.125}, "", ""},
        {"uniform_largest_column", cell, {0.25, 0.25}, "", ""},
        {"attention", {"method", "seed", "layer", "head", "query", "key"}, {}, "", ""}};
    for (int i = 0; i < 32; ++i) data.variables.back().values.push_back(i);
    const Report report = text_study_there().report(data);
    REQUIRE(report.tables.size() == 3);
    const std::string table = report::csv(report.tables[0]);
    INFO(table);
    CHECK(contains(table, "a,0.01,2.625,"));
    CHECK(contains(table, "10: 1 of 2 seeds: the gradient is not finite, first at step 3"));
    // Heads of layer 1 have a half and a quarter in a pattern, those of layer 2 a half and all. Half is not most.
    const std::string patterns = report::csv(report.tables[2]);
    INFO(patterns);
    CHECK(contains(patterns, "a,1,0.375,0,0.375,0,0,0,0,0"));
    CHECK(contains(patterns, "a,2,0.75,0,0.75,0,0.5,0,0.5,0"));
    // Counts stand below the methods, and the margin to trigrams below all: 1.375 +- 12.7 * 0.125 may be none at all.
    CHECK(contains(table, "without attention: trigrams,,4,,4"));
    REQUIRE(report.tables[0].notes.size() == 1);
    CHECK(contains(report.tables[0].notes[0],
                   "Softmax attention is 1.38 ± 1.59 bits per character better than trigrams (4); the "
                   "interval begins at -0.213, below the 0.25 asked for: this run cannot judge attention."));
    CHECK(report.figures[0].panels[0].series[0].y == std::vector<double>{3, 2.625});
    REQUIRE(report.figures[0].panels[0].horizontal.size() == 4);
    CHECK(report.figures[0].panels[0].horizontal[2].at == 4);
    CHECK(contains(report::csv(report.tables[1]), "a,2.25,"));
    CHECK(report.tables[1].notes ==
          std::vector<std::string>{"The smallest rate that was tried is best for a: one beyond it may be better."});
    // Heads of a layer first, then seeds, which are alike here.
    CHECK(contains(report::csv(report.tables[2]), "a,2,0.75,0,0.75,0"));
    CHECK(contains(report::csv(report.tables[2]), "uniform,,0.125,,0.25"));
    // The first head of the last layer of the first seed, keys to the right and queries upwards; then all heads.
    REQUIRE(report.figures[1].panels.size() == 1);
    CHECK(report.figures[1].panels[0].map->z == std::vector<double>{8, 10, 9, 11});
    REQUIRE(report.figures[2].panels.size() == 4);
    CHECK(report.figures[2].panels[1].map->z == std::vector<double>{4, 6, 5, 7});
    // A file that was collected without matrices has all but their figures.
    store::Dataset without = data;
    without.variables.pop_back();
    CHECK(text_study_there().report(without).figures.size() == report.figures.size() - 2);
    CHECK(report::csv(text_study_there().report(without).tables[2]) == report::csv(report.tables[2]));

    // A margin on which seeds agree stands.
    data.variables[1].values = {2.5, 2.5};
    CHECK(contains(text_study_there().report(data).tables[0].notes[0], "(4); 0.25 are asked for."));
    data.attributes.clear();
    CHECK(contains(text_study_there().report(data).tables[0].notes[0], "Softmax attention is not among the methods"));

    // The first of several that diverged is told; seeds may have different rates.
    data.variables[5].values = {7, 3};
    data.variables[6].values = {1, 2};
    data.variables[7].values = {10, 0.01};
    CHECK(divergence_words(data, {"a"}) == "2 of 2 seeds: the gradient is not finite, first at step 3");
    CHECK(std::get<std::string>(chosen_rates(data, {"a"})) == "0.01: 1, 10: 1");
    data.variables[5].values = {3, nan};
    CHECK(divergence_words(data, {"a"}) == "1 of 2 seeds: the loss is not finite, first at step 3");
}

TEST_CASE("training: the rate is that of the best short training, which leaves no trace in the long one",
          "[experiments]") {
    const TemporaryFolder folder;
    const std::string file = folder.write("lines.txt", lines());
    const auto with = [&](const std::string& rates, const std::string& more) {
        std::string text = yaml(file, more);
        text.replace(text.find("rates: [0.02]"), 13, "rates: " + rates);
        return computed(text_study_there().prepare(parsed(text_study_there(), text)), {"method=positive", "seed=1"});
    };
    const auto tried = with("[1e-6, 0.02, 1e-5]", "trial_share: 0.5\n"), alone = with("[0.02]", "trial_share: 0.5\n");
    CHECK(value(tried, "chosen_rate") == 0.02);
    for (const char* variable : {"loss", "validation_loss", "validation_accuracy", "bits_per_character", "nonpositive"})
        CHECK(same_bits(values(tried, variable), values(alone, variable)));
    // Small steps leave the loss where it began.
    const auto& losses = values(tried, "trial_loss");
    REQUIRE(losses.size() == 3);
    CHECK(losses[1] < losses[0]);
    CHECK(losses[0] == Approx(losses[2]).epsilon(1e-3));
    // A short training is a training of so many steps; of one rate there is none.
    std::string text = yaml(file);
    text.replace(text.find("steps: 6"), 8, "steps: 3");
    const auto three =
        computed(text_study_there().prepare(parsed(text_study_there(), text)), {"method=positive", "seed=1"});
    CHECK(losses[1] == values(three, "validation_loss").back());
    CHECK(std::isnan(value(alone, "trial_loss")));

    // A rate that diverged on trial is passed over, wherever it stands.
    const Trial diverged{.diverged_at = 3};
    CHECK(best_trial({diverged, {2}, {3}}) == 1);
    CHECK(best_trial({{3}, {2}, diverged}) == 1);
    CHECK(best_trial({diverged, {3}, {2}}) == 2);
    CHECK(best_trial({diverged, diverged}) == 0);
    CHECK(best_trial({}) == 0);
}

TEST_CASE("training: a network that diverges while it is judged has no number of what was judged before",
          "[experiments]") {
    const TemporaryFolder folder;
    const config::Value config = parsed(text_study_there(), yaml(folder.write("lines.txt", lines())));
    const Text text(config);
    const NetworkSetting setting(config);
    for (const bool diverges : {false, true}) {
        double tested = std::nan("");
        engine::Checkpoint none;
        const TrainedNetwork trained =
            train_network(setting, shape_of_yaml(), setting.methods.values[0], Stream(1), none,
                          {.next = [&](const Stream& own) { return text.batch(3, own); },
                           .validation =
                               [&](networks::Trainer<float>& trainer) {
                                   return trainer.evaluate(text.spread(text.validation, 2)).loss;
                               },
                           .keep =
                               [&](const networks::Transformer&, networks::Trainer<float>&) {
                                   tested = 2;
                                   if (diverges) throw networks::Diverged(Divergence::rows, "keys are not finite");
                               }});
        CHECK(tested == 2);
        // Six steps are all of the training.
        CHECK((diverges ? trained.run.diverged_at == 6 : std::isnan(trained.run.diverged_at)));
        CHECK((diverges ? std::isnan(trained.judged(tested)) : trained.judged(tested) == 2));
    }
}

TEST_CASE("training/text: texts and sizes that do not fit are refused at their place", "[experiments]") {
    const TemporaryFolder folder;
    const std::string file = folder.write("lines.txt", lines());
    const auto said = [&](const std::string& from, const std::string& to) {
        std::string text = yaml(file);
        text.replace(text.find(from), from.size(), to);
        return refusal([&] { text_study_there().prepare(parsed(text_study_there(), text)); });
    };
    CHECK(contains(said("length: 12", "length: 500"),
                   "length: the validation part of " + file + " has " + std::to_string(lines().size() / 10) +
                       " bytes, and must have more than a sequence, 500: take a longer text, a larger validation_share "
                       "or a smaller length"));
    const std::string empty = folder.write("empty.txt", "");
    CHECK(contains(said(file, empty), "text: '" + empty + "' is empty"));
    CHECK(contains(said(file, "no-such-text"),
                   "text: 'no-such-text' is neither a file, in this configuration's folder or the working folder, nor "
                   "a text of the manifest; "
                   "there are king-james-bible"));
    CHECK(contains(said(file, folder.write("latin.txt", lines() + "na\xefve")), "is no UTF-8 at byte "));
    CHECK(contains(said("width: 8", "width: 9"), "width: 9 is not a multiple of heads, 2"));
    CHECK(contains(said("exact,", "linformer,"), "linformer"));
    // A folder of models has a network of each seed, as GPT-2's layout can say it.
    const auto written = [&](const std::string& methods) {
        return said("methods: [exact", "models: " + folder.file("models") + "\nmethods: [" + methods);
    };
    for (const char* beside : {"gate: true", "convolution: 3"})
        CHECK(contains(written(std::string("{use: exact, label: other, ") + beside + "}"),
                       "models: 'other' has a gate or a convolution, which GPT-2's layout cannot hold"));
    CHECK(contains(written("{use: exact, label: one}, {use: exact, label: two}"),
                   "models: 'one' and 'two' are both softmax attention"));
}

TEST_CASE("training/text: a cell that is interrupted before every step ends with the same bits", "[experiments]") {
    const TemporaryFolder folder;
    std::string text = yaml(folder.write("lines.txt", lines()), "trial_share: 0.34\n");
    text.replace(text.find("rates: [0.02]"), 13, "rates: [0.01, 0.02, 0.005]");
    const Sweep sweep = text_study_there().prepare(parsed(text_study_there(), text));
    // Features that are drawn again, and an attention that is fitted.
    for (const char* method : {"positive", "optimal-positive"}) {
        const auto cells = sweep.cells();
        const engine::Cell& cell = *std::find_if(cells.begin(), cells.end(), [&](const engine::Cell& one) {
            return one.key == std::string("method=") + method + ",seed=1";
        });
        const auto whole = sweep.compute(sweep.point(cell.coordinates));
        int interruptions = 0;
        std::optional<store::Dataset> pieces;
        while (!pieces) {
            // One step further each time.
            int offers = 0;
            engine::Checkpoint checkpoint(folder.path() / method, 1e9, [&] { return ++offers == 2; });
            try {
                pieces = sweep.compute(sweep.point(cell.coordinates, &checkpoint));
            } catch (const engine::StopRequested&) {
                ++interruptions;
            }
        }
        // Three rates for two steps, and all six at the best.
        CHECK(interruptions == 11);
        REQUIRE(pieces->variables.size() == whole.variables.size());
        for (std::size_t v = 0; v < whole.variables.size(); ++v) {
            INFO(whole.variables[v].name);
            CHECK(same_bits(pieces->variables[v].values, whole.variables[v].values));
        }
    }
}

TEST_CASE("training: a panel shows its means and lines, whatever its bands are", "[experiments]") {
    report::Panel panel;
    panel.series = {{.label = "a", .x = {1, 2, 3}, .y = {4, 2, std::nan("")}, .low = {1, 1, 1}, .high = {90, 80, 70}}};
    panel.horizontal = {{5, "pairs"}};
    show_means(panel);
    REQUIRE(panel.y.range);
    CHECK(panel.y.range->first == Approx(2 - 0.15));
    CHECK(panel.y.range->second == Approx(5 + 0.15));
    // One value has no range of its own.
    report::Panel flat;
    flat.series = {{.label = "a", .x = {1}, .y = {4}}};
    show_means(flat);
    CHECK(!flat.y.range);
}
