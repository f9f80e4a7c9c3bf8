// training/masked-text on a small text.
#include <cmath>

#include "catch.hpp"
#include "cells.hpp"
#include "rfbench/models/gpt2_folder.hpp"
#include "rfbench/report/table.hpp"
#include "sources/texts.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"
#include "support/temporary_folder.hpp"
#include "training/network_training.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::tests;

namespace {

const Study& masked_study() { return find("training", "masked-text"); }

std::string masked_yaml(const std::string& file, const std::string& share = "0.25") {
    return "text: " + file + "\nhidden: " + share +
           "\nmethods: [exact, linformer, {use: trigonometric, label: FAVOR}]\nlength: 12\nlayers: 1\nheads: 2\nwidth: "
           "8\n"
           "inner: 12\ncolumns: 8\nsteps: 4\nbatch: 3\nwarmup_steps: 2\nrates: [0.02]\nevaluations: 2\nseeds: "
           "2\npieces: 3\n"
           "validation_share: 0.2\ntest_share: 0.2\n";
}

/// Lines in which every character but digits follows from its neighbours.
std::string numbered_lines() {
    std::string text;
    for (int i = 0; i < 60; ++i) text += "line " + std::to_string(i * i) + " of sixty\n";
    return text;
}

}  // namespace

TEST_CASE("training/masked-text: hidden characters are targets, and nothing else tells them", "[experiments]") {
    const TemporaryFolder folder;
    const std::string file = folder.write("lines.txt", numbered_lines());
    const Sweep sweep = masked_study().prepare(parsed(masked_study(), masked_yaml(file)));
    for (const char* method : {"method=exact", "method=linformer", "method=FAVOR"}) {
        INFO(method);
        const auto data = computed(sweep, {method, "seed=1"});
        CHECK(std::isnan(value(data, "diverged_at")));
        // Three of twelve tokens of three pieces: accuracies are ninths.
        const double right = value(data, "accuracy") * 9;
        CHECK(right == Approx(std::round(right)).margin(1e-9));
        // A network that has learned next to nothing knows no more than that there are 257 tokens.
        CHECK(std::abs(values(data, "loss").front() - std::log(257)) < 0.2);
        CHECK(values(data, "counts_bits").size() == 3);
        CHECK(values(data, "attention").size() == 2 * 12 * 12);
    }
    // Later tokens are seen: a row of the first query has weights at all keys.
    const auto first = computed(sweep, {"method=exact", "seed=0"});
    for (std::size_t key = 0; key < 12; ++key) CHECK(values(first, "attention")[key] > 0);
    CHECK(value(first, "nonpositive") == 0);

    // All tokens hidden but for rounding: what is left to tell them are frequencies, and counts of neighbours are
    // these.
    const auto all =
        computed(masked_study().prepare(parsed(masked_study(), masked_yaml(file, "0.99"))), {"method=exact", "seed=0"});
    CHECK(values(all, "counts_bits")[1] == values(all, "counts_bits")[0]);
    CHECK(values(first, "counts_bits")[1] < values(first, "counts_bits")[0]);
    CHECK(values(first, "counts_bits")[2] < values(first, "counts_bits")[1] + 1e-9);
}

TEST_CASE("training/masked-text: what is hidden is not among the tokens", "[experiments]") {
    const TemporaryFolder folder;
    // Letters at random: none is told by the others, so that less than their two bits each would be read off the token.
    std::string text;
    Stream letters(7);
    for (int i = 0; i < 4000; ++i) text += static_cast<char>('a' + letters.below(4));
    std::string yaml = masked_yaml(folder.write("random.txt", text));
    yaml.replace(yaml.find("steps: 4"), 8, "steps: 80");
    const auto data = computed(masked_study().prepare(parsed(masked_study(), yaml)), {"method=exact", "seed=0"});
    // It has learned that there are four letters.
    CHECK(values(data, "validation_bits").back() < 3);
    CHECK(values(data, "validation_bits").back() > 1.9);
    CHECK(value(data, "bits_per_character") > 1.7);
}

TEST_CASE("training/masked-text: the same characters are hidden for all methods, and others in every step",
          "[experiments]") {
    const TemporaryFolder folder;
    const std::string file = folder.write("lines.txt", numbered_lines());
    const Sweep sweep = masked_study().prepare(parsed(masked_study(), masked_yaml(file)));
    const auto exact = computed(sweep, {"method=exact", "seed=0"}), other = computed(sweep, {"method=FAVOR", "seed=0"}),
               again = computed(sweep, {"method=exact", "seed=1"});
    CHECK(same_bits(values(exact, "counts_bits"), values(other, "counts_bits")));
    CHECK(same_bits(values(exact, "counts_bits"), values(again, "counts_bits")));
    CHECK(!same_bits(values(exact, "loss"), values(again, "loss")));
    // Methods that see all tokens fit, and none that is fitted to a share of nothing.
    CHECK(contains(refusal([&] { parsed(masked_study(), masked_yaml(file, "1")); }), "hidden"));
    CHECK(contains(refusal([&] { parsed(masked_study(), masked_yaml(file, "0")); }), "hidden"));
}

TEST_CASE("training/masked-text: the report has counts by neighbours beside all methods", "[experiments]") {
    const TemporaryFolder folder;
    const std::string file = folder.write("lines.txt", numbered_lines());
    const Sweep sweep = masked_study().prepare(parsed(masked_study(), masked_yaml(file)));
    const double nan = std::nan("");
    const std::vector<std::string> cell{"method", "seed"};
    const auto over = [](const char* axis) { return std::vector<std::string>{"method", "seed", axis}; };
    store::Dataset data{{{"method", std::vector<std::string>{"a"}, "", ""},
                         {"seed", std::vector<double>{0, 1}, "", ""},
                         {"rate", std::vector<double>{0.01}, "", ""},
                         {"step", std::vector<double>{2, 4}, "", ""},
                         {"sides", std::vector<double>{0, 1, 2}, "", ""},
                         {"layer", std::vector<double>{0}, "", ""},
                         {"head", std::vector<double>{0}, "", ""},
                         {"query", std::vector<double>{0, 1}, "", ""},
                         {"key", std::vector<double>{0, 1}, "", ""}},
                        {},
                        {{"softmax", "a"}}};
    data.variables = {{"validation_bits", over("step"), {3, 1, 3, 1}, "", ""},
                      {"bits_per_character", cell, {1.5, 1.5}, "", ""},
                      {"accuracy", cell, {0.5, 0.5}, "", ""},
                      {"nonpositive", cell, {0, 0}, "", ""},
                      {"diverged_at", cell, {nan, nan}, "", ""},
                      {"divergence", cell, {0, 0}, "", ""},
                      {"chosen_rate", cell, {0.01, 0.01}, "", ""},
                      {"trial_loss", over("rate"), {2, 2}, "", ""},
                      {"trial_diverged_at", over("rate"), {nan, nan}, "", ""},
                      {"trial_divergence", over("rate"), {0, 0}, "", ""},
                      {"counts_bits", over("sides"), {4, 3, 2, nan, nan, nan}, "", ""},
                      {"near_diagonal", {"method", "seed", "layer", "head"}, {0.5, 0.5}, "", ""},
                      {"largest_column", {"method", "seed", "layer", "head"}, {0.5, 0.5}, "", ""},
                      {"uniform_near_diagonal", cell, {0.5, 0.5}, "", ""},
                      {"uniform_largest_column", cell, {0.5, 0.5}, "", ""},
                      {"attention",
                       {"method", "seed", "layer", "head", "query", "key"},
                       {0.5, 0.5, 0.25, 0.75, nan, nan, nan, nan},
                       "",
                       ""}};
    const Report report = masked_study().report(data);
    CHECK(contains(report::csv(report.tables.at(0)), "without attention: two on each side,,2"));
    CHECK(contains(report.tables[0].notes.at(0),
                   "Softmax attention is 0.50 ± 0.00 bits per character better than counts of two characters on each "
                   "side (2); 0.25 are asked for."));
    CHECK(report.figures.at(0).panels.at(0).horizontal.at(2).at == 2);
}

TEST_CASE("training/masked-text: a random Linformer has no matrix to train, and another one when it is drawn anew",
          "[experiments]") {
    const TemporaryFolder folder;
    std::string text = masked_yaml(folder.write("lines.txt", numbered_lines()));
    text.replace(text.find("linformer"), 9,
                 "{use: linformer, trained: false, label: once}, "
                 "{use: linformer, trained: false, redraw: 1, label: anew}");
    const config::Value config = parsed(masked_study(), text);
    const NetworkSetting setting(config, encoder_methods);
    const auto layer = [&](std::size_t method, std::uint64_t draw) {
        return setting.heads(setting.methods.values[method], 12, Stream(1), draw).front();
    };
    CHECK(layer(1, 0)->parameters() == 0);
    const Points tokens = normal_points(12, 4, Stream(2));
    const auto output = [&](std::uint64_t draw) -> Points {
        return layer(2, draw)->forward(Vector(), {tokens, tokens, tokens}, attention::Visible::all)->output;
    };
    CHECK((output(0) - output(1)).cwiseAbs().maxCoeff() > 0.01);
    CHECK((output(1) - output(1)).isZero(0));
    const Sweep sweep = masked_study().prepare(config);
    CHECK(values(computed(sweep, {"method=once", "seed=1"}), "loss") !=
          values(computed(sweep, {"method=anew", "seed=1"}), "loss"));

    const auto said = [&](const std::string& entry) {
        std::string other = text;
        other.replace(other.find("exact"), 5, entry);
        return refusal([&] { masked_study().prepare(parsed(masked_study(), other)); });
    };
    CHECK(contains(said("{use: exact, redraw: 1}"), "nothing of 'exact' is drawn that could be drawn anew"));
    CHECK(contains(said("{use: linformer, redraw: 5}"), "nothing of 'linformer' is drawn that could be drawn anew"));
    CHECK(said("{use: lsh, redraw: 5}") == "accepted");
    CHECK(said("{use: relu, redraw: 5}") == "accepted");
}
