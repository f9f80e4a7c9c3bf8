// The studies of trained networks on small configurations.
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

std::string yaml(const std::string& file, const std::string& more = "") {
    return "text: " + file +
           "\nmethods: [exact, {use: positive, redraw: 2}, {use: optimal-positive}]\nlength: 12\nlayers: 1\nheads: 2\n"
           "width: 8\ninner: 12\ncolumns: 8\nsteps: 6\nbatch: 3\nwarm: 2\nrates: [0.01, 0.02]\nlooks: 3\nseeds: 2\n"
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
    const auto data = computed(sweep, {"method=exact", "rate=0.02", "seed=1"});

    const Text text(config);
    const Stream seed = study_stream(config, "training/text").child(1);
    const networks::Transformer network(shape_of_yaml());
    networks::Trainer<float> trainer(network, network.start({}, seed.child("start")),
                                     {.steps = 6, .batch = 3, .rate = 0.02, .longest = 1}, 2);
    std::vector<double> losses, looks, right;
    for (int step = 0; step < 6; ++step) {
        const auto batch = text.batch(3, seed.child("batches").child(static_cast<std::uint64_t>(step)));
        losses.push_back(trainer.step(batch).loss.sum / 36);
        if (step % 2 == 0) continue;
        const networks::Loss look = trainer.evaluate(text.spread(text.validation, 2)).loss;
        looks.push_back(look.sum / 24);
        right.push_back(static_cast<double>(look.right) / 24);
    }
    CHECK(values(data, "loss") == losses);
    CHECK(values(data, "validation_loss") == looks);
    CHECK(values(data, "validation_accuracy") == right);
    const networks::Loss held_out = trainer.evaluate(text.spread(text.test, 2)).loss;
    const std::string whole = lines();
    const double characters = static_cast<double>(whole.size()) - 40;
    CHECK(value(data, "bits_per_character") ==
          Approx(held_out.sum / 24 / std::log(2.0) * static_cast<double>(whole.size()) / characters).epsilon(1e-12));
    CHECK(value(data, "accuracy") == static_cast<double>(held_out.right) / 24);
    CHECK(std::isnan(value(data, "diverged_at")));
    // The picture: softmax of each head's scores over the tokens before.
    const auto piece = text.spread(text.test, 1).front();
    const auto heads = network.heads(trainer.weights(), piece).back();
    const auto& weights = values(data, "attention");
    REQUIRE(weights.size() == 2 * 12 * 12);
    for (std::size_t h = 0; h < 2; ++h)
        for (Index i = 0; i < 12; ++i) {
            const Eigen::RowVectorXd scores = (heads[h].queries.row(i) * heads[h].keys.transpose()).cast<double>() / 2;
            const double sum = scores.head(i + 1).array().exp().sum();
            for (Index j = 0; j < 12; ++j)
                CHECK(weights[(h * 12 + static_cast<std::size_t>(i)) * 12 + static_cast<std::size_t>(j)] ==
                      Approx(j <= i ? std::exp(scores[j]) / sum : 0).epsilon(1e-5).margin(1e-12));
        }
    // The network that was written is the one that was trained.
    const auto written = models::read_gpt2<float>(folder.path() / "models" / "rate-0.02-seed-1");
    CHECK((written.weights.values().array() == trainer.weights().values().array()).all());
}

TEST_CASE("training/text: features are each head's own, drawn again as asked, and shares are of all denominators",
          "[experiments]") {
    const TemporaryFolder folder;
    const std::string whole = lines();
    std::string text = yaml(folder.write("lines.txt", whole));
    text.replace(text.find("positive, redraw"), 8, "trigonometric");
    const config::Value config = parsed(text_study_there(), text);
    const auto data = computed(text_study_there().prepare(config), {"method=trigonometric", "rate=0.02", "seed=1"});

    const Text pieces(config);
    const NetworkSetting setting(config);
    const MethodChoice& choice = setting.methods.values[1];
    const Stream seed = study_stream(config, "training/text").child(1);
    const auto heads = [&](std::uint64_t draw) {
        networks::Heads both;
        for (std::uint64_t h : {0, 1})
            both.push_back(choice->layer({12, 4, 8}, sampling::find("orthogonal"),
                                         seed.child("features").child("trigonometric").child(h).child(draw)));
        return both;
    };
    networks::Transformer network(shape_of_yaml(), heads(0));
    networks::Trainer<float> trainer(network, network.start({}, seed.child("start")),
                                     {.steps = 6, .batch = 3, .rate = 0.02, .longest = 1}, 2);
    std::vector<double> losses, bits;
    const double per_byte =
        static_cast<double>(whole.size()) / (static_cast<double>(whole.size()) - 40) / std::log(2.0);
    for (int step = 0; step < 6; ++step) {
        if (step > 0 && step % 2 == 0) network.replace_heads(heads(static_cast<std::uint64_t>(step / 2)));
        const auto batch = pieces.batch(3, seed.child("batches").child(static_cast<std::uint64_t>(step)));
        losses.push_back(trainer.step(batch).loss.sum / 36);
        if (step % 2 == 1)
            bits.push_back(trainer.evaluate(pieces.spread(pieces.validation, 2)).loss.sum / 24 * per_byte);
    }
    CHECK(values(data, "loss") == losses);
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

TEST_CASE("training/text: what diverges is shown with its step and reason, and another rate is chosen",
          "[experiments]") {
    const TemporaryFolder folder;
    const std::string file = folder.write("lines.txt", lines());
    const Sweep sweep = text_study_there().prepare(
        parsed(text_study_there(),
               yaml(file, "longest_gradient: 1e300\n").replace(yaml(file).find("[0.01, 0.02]"), 12, "[0.01, 10]")));
    // A rate of ten throws parameters so far that exponentials of scores overflow, at one step or another; those of the
    // smaller rate stay.
    const auto fine = computed(sweep, {"method=positive", "rate=0.01", "seed=0"});
    CHECK(std::isnan(value(fine, "diverged_at")));
    for (const double loss : values(fine, "loss")) CHECK(std::isfinite(loss));

    store::Dataset data{{{"method", std::vector<std::string>{"a"}, "", ""},
                         {"rate", std::vector<double>{0.01, 10}, "", ""},
                         {"seed", std::vector<double>{0, 1}, "", ""},
                         {"look", std::vector<double>{2, 4}, "", ""},
                         {"head", std::vector<double>{0, 1}, "", ""},
                         {"query", std::vector<double>{0, 1}, "", ""},
                         {"key", std::vector<double>{0, 1}, "", ""}},
                        {},
                        {}};
    const double nan = std::nan("");
    data.variables = {{"validation_bits", {"method", "rate", "seed", "look"}, {3, 2.5, 3, 2.7, 3, 1, nan, nan}, "", ""},
                      {"validation_loss", {"method", "rate", "seed", "look"}, {3, 2.5, 3, 2.7, 3, 1, nan, nan}, "", ""},
                      {"bits_per_character", {"method", "rate", "seed"}, {2.6, 2.8, 1, nan}, "", ""},
                      {"accuracy", {"method", "rate", "seed"}, {0.5, 0.4, 0.9, nan}, "", ""},
                      {"nonpositive", {"method", "rate", "seed"}, {0, 0, 0, nan}, "", ""},
                      {"diverged_at", {"method", "rate", "seed"}, {nan, nan, nan, 3}, "", ""},
                      {"divergence", {"method", "rate", "seed"}, {0, 0, 0, 2}, "", ""},
                      {"attention", {"method", "rate", "seed", "head", "query", "key"}, {}, "", ""}};
    for (int i = 0; i < 32; ++i) data.variables.back().values.push_back(i);
    CHECK(best_rate(data, {"a"}) == 0.01);
    const Report report = text_study_there().report(data);
    REQUIRE(report.tables.size() == 2);
    const std::string table = report::markdown(report.tables[0]);
    CHECK(contains(table, "0.01"));
    CHECK(contains(table, "10: 1 of 2 seeds: the gradient is not finite, first at step 3"));
    CHECK(report.figures[0].panels[0].series[0].y == std::vector<double>{3, 2.6});
    // The first head of the first seed at the chosen rate, keys to the right and queries upwards.
    REQUIRE(report.figures[1].panels.size() == 1);
    const auto& map = report.figures[1].panels[0].map;
    REQUIRE(map);
    CHECK(map->z == std::vector<double>{0, 2, 1, 3});

    // The first of several that diverged is told.
    data.variables[5].values = {nan, nan, 7, 3};
    data.variables[6].values = {0, 0, 1, 2};
    CHECK(divergence_words(data, {"a"}, 10) == "2 of 2 seeds: the gradient is not finite, first at step 3");
    data.variables[5].values = {nan, nan, 3, 7};
    CHECK(divergence_words(data, {"a"}, 10) == "2 of 2 seeds: the loss is not finite, first at step 3");

    // If every rate has divergences, those of the rate that is shown have a column of their own.
    data.variables[1].values = {3, nan, 3, 2.7, 3, nan, nan, nan};
    data.variables[5].values = {5, nan, 3, 7};
    data.variables[6].values = {1, 0, 1, 2};
    const auto row = text_study_there().report(data).tables[0].rows[0].entries;
    CHECK(std::get<std::string>(row[5]) == "1 of 2 seeds: the loss is not finite, first at step 5");
    CHECK(std::get<std::string>(row[6]) == "10: 2 of 2 seeds: the loss is not finite, first at step 3");
}

TEST_CASE("training: what is shown is at the rate whose mean over seeds is least after the last look",
          "[experiments]") {
    // At the first look, and by each seed alone, another rate may be the better one.
    store::Dataset data{{{"method", std::vector<std::string>{"a"}, "", ""},
                         {"rate", std::vector<double>{0.01, 0.1}, "", ""},
                         {"seed", std::vector<double>{0, 1}, "", ""},
                         {"look", std::vector<double>{2, 4}, "", ""}},
                        {},
                        {}};
    const double nan = std::nan("");
    const auto show = [&](const std::vector<double>& losses) {
        data.variables = {{"validation_loss", {"method", "rate", "seed", "look"}, losses, "", ""},
                          {"diverged_at", {"method", "rate", "seed"}, {nan, nan, nan, nan}, "", ""},
                          {"divergence", {"method", "rate", "seed"}, {0, 0, 0, 0}, "", ""}};
        const auto curve = curves(data, "validation_loss").series[0].y;
        const auto row = rates_table(data, "rates", "Loss", "validation_loss", {}, {report::word_column("method")},
                                     methods_by_name(data))
                             .rows[0]
                             .entries;
        const auto mean = [&](std::size_t at) { return std::get<report::Estimate>(row[at]).value; };
        CHECK(std::get<double>(row[3]) == best_rate(data, {"a"}));
        return std::tuple(best_rate(data, {"a"}), curve, std::vector<double>{mean(1), mean(2)});
    };
    // rate, seed, look
    const std::vector<double> first{4, 1, 4, 2.5, 3, 2, 3, 2};
    CHECK(show(first) == std::tuple(0.01, std::vector<double>{4, 1.75}, std::vector<double>{1.75, 2}));
    const std::vector<double> second{3, 2, 3, 2, 4, 1, 4, 2.5};
    CHECK(show(second) == std::tuple(0.1, std::vector<double>{4, 1.75}, std::vector<double>{2, 1.75}));
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
                   "length: 500 tokens; the validation text has " + std::to_string(lines().size() / 10) + " bytes"));
    CHECK(contains(said(file, "no-such-text"),
                   "text: 'no-such-text' is neither a file nor a text of the manifest; "
                   "there are king-james-bible"));
    CHECK(contains(said(file, folder.write("latin.txt", lines() + "na\xefve")), "is no UTF-8 at byte "));
    CHECK(contains(said("width: 8", "width: 9"), "width: 9 is not a multiple of heads, 2"));
    CHECK(contains(said("exact,", "lsh,"), "lsh"));
}

TEST_CASE("training/text: a cell that is interrupted before every step ends with the same bits", "[experiments]") {
    const TemporaryFolder folder;
    const Sweep sweep =
        text_study_there().prepare(parsed(text_study_there(), yaml(folder.write("lines.txt", lines()))));
    // Features that are drawn again, and an attention that is fitted.
    for (const char* method : {"positive", "optimal-positive"}) {
        const auto cells = sweep.cells();
        const engine::Cell& cell = *std::find_if(cells.begin(), cells.end(), [&](const engine::Cell& one) {
            return one.key == std::string("method=") + method + ",rate=0.02,seed=1";
        });
        const auto whole = sweep.compute(sweep.point(cell.coordinates));
        int interruptions = 0;
        std::optional<store::Dataset> pieces;
        while (!pieces) {
            // One step further each time.
            int offers = 0;
            engine::Draft draft(folder.path() / method, 1e9, [&] { return ++offers == 2; });
            try {
                pieces = sweep.compute(sweep.point(cell.coordinates, &draft));
            } catch (const engine::Stopped&) {
                ++interruptions;
            }
        }
        CHECK(interruptions == 5);
        REQUIRE(pieces->variables.size() == whole.variables.size());
        for (std::size_t v = 0; v < whole.variables.size(); ++v) {
            INFO(whole.variables[v].name);
            CHECK(same_bits(pieces->variables[v].values, whole.variables[v].values));
        }
    }
}
