// training/images on small images.
#include <cmath>

#include "catch.hpp"
#include "cells.hpp"
#include "rfbench/attention/toeplitz_mask.hpp"
#include "rfbench/regression/indicator_regression.hpp"
#include "rfbench/report/table.hpp"
#include "small_images.hpp"
#include "sources/images.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"
#include "training/attention_picture.hpp"
#include "training/network_report.hpp"
#include "training/network_training.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::tests;

namespace {

const Study& images_study_there() { return find("training", "images"); }

/// 60 images of 6 x 6 pixels to train on, 8 held out.
struct Files {
    TemporaryFolder folder;
    std::string training = SmallImages(60, 6).written(folder, "train");
    std::string test = SmallImages(8, 6, 50).written(folder, "test");
    std::string others = SmallImages(8, 6, 11).written(folder, "others");

    std::string yaml(const std::string& held_out,
                     const std::string& methods =
                         "[exact, {use: exact, mask: toeplitz, label: masked}, "
                         "{use: positive, mask: toeplitz, redraw: 2, label: FAVOR}]") const {
        return "images: {use: file, training: " + training + ", test: " + held_out + "}\nmethods: " + methods +
               "\npatch: 2\nlayers: 2\nheads: 2\nwidth: 8\ninner: 12\ncolumns: 8\nsteps: 6\nbatch: 3\nwarmup_steps: 2\n"
               "rates: [0.02]\nevaluations: 3\nseeds: 2\njudged: 4\nheld_out: 5\n";
    }
};

networks::TransformerShape small_shape() {
    networks::TransformerShape shape;
    shape.inputs = 4;
    shape.positions = 9;
    shape.class_token = true;
    shape.layers = 2;
    shape.heads = 2;
    shape.width = 8;
    shape.inner = 12;
    shape.visible = attention::Visible::all;
    shape.read_out = networks::ReadOutOf::class_token;
    shape.outputs = 3;
    return shape;
}

/// Share of these whose class has the largest output.
double right(const networks::Transformer& network, const networks::Weights<float>& weights,
             const std::vector<networks::Sequence<float>>& images) {
    double count = 0;
    for (const auto& one : images) {
        Index best = 0;
        network.outputs(weights, one).row(0).maxCoeff(&best);
        count += best == one.targets[0].value ? 1 : 0;
    }
    return count / static_cast<double>(images.size());
}

/// Share of these images of the test set that a linear map of pixels, fitted to all training images, tells rightly.
double linear_share(const Images& images, const std::vector<std::size_t>& judged) {
    regression::IndicatorRegression regression(36, 3);
    regression.add(images.training.pixels.cast<double>() / 255, images.training.classes);
    const auto told = regression::largest_outputs(regression.fit(1e-4), images.test.pixels.cast<double>() / 255);
    double count = 0;
    for (const std::size_t i : judged) count += told[i] == images.test.classes[i] ? 1 : 0;
    return count / static_cast<double>(judged.size());
}

}  // namespace

TEST_CASE("training/images: a cell is the training of its network, with a mask in each head, and what it has learned",
          "[experiments]") {
    const Files files;
    const config::Value config = parsed(images_study_there(), files.yaml(files.test));
    const Sweep sweep = images_study_there().prepare(config);
    const Images images(config);
    const Stream seed = study_stream(config, "training/images").child(1);
    for (const bool masked : {false, true}) {
        const auto data = computed(sweep, {masked ? "method=masked" : "method=exact", "seed=1"});
        networks::Heads heads = networks::softmax_heads(4);
        if (masked)
            for (auto& head : heads) head = training::softmax_attention()->masked({{3, 3}, true});
        const networks::Transformer network(small_shape(), heads);
        networks::Trainer<float> trainer(network, network.start({}, seed.child("start")),
                                         {.steps = 6, .batch = 3, .rate = 0.02, .max_norm = 1}, 2);
        std::vector<double> losses, looks, accuracies;
        const auto validation = images.spread(images.validation, 4);
        for (int step = 0; step < 6; ++step) {
            const auto batch = images.batch(3, seed.child("batches").child(static_cast<std::uint64_t>(step)));
            losses.push_back(trainer.step(batch).loss.sum / 3);
            if (step % 2 == 0) continue;
            looks.push_back(trainer.evaluate(validation).loss.sum / 4);
            accuracies.push_back(right(network, trainer.weights(), validation));
        }
        CHECK(values(data, "loss") == means_of(2, losses));
        CHECK(values(data, "validation_loss") == looks);
        CHECK(values(data, "validation_accuracy") == accuracies);
        const auto held_out = images.spread(images.test, 5);
        CHECK(value(data, "accuracy") == right(network, trainer.weights(), held_out));
        CHECK(value(data, "test_loss") == trainer.evaluate(held_out).loss.sum / 5);
        CHECK(value(data, "nonpositive") == 0);
        CHECK(std::isnan(value(data, "diverged_at")));
        // Without attention, of the images that the network is judged by: of three classes in turn the first is the
        // most frequent, and a linear map of 36 pixels.
        CHECK(value(data, "majority") == 3 / 5.0);
        CHECK(value(data, "linear") == linear_share(images, {0, 1, 3, 4, 6}));

        // Masks by the names of their parameters: offsets from the largest down, then the class token.
        const auto& masks = values(data, "mask");
        REQUIRE(masks.size() == 2 * 5 * 5);
        if (!masked) {
            for (const double entry : masks) CHECK(std::isnan(entry));
            for (const double entry : values(data, "class_weight")) CHECK(std::isnan(entry));
        }
        for (Index layer = 0; masked && layer < 2; ++layer) {
            Vector mean = Vector::Zero(26);
            for (const char* head : {"0", "1"}) {
                const auto& parameter = network.layout().find("h." + std::to_string(layer) + ".attn.head." + head);
                const Vector z = trainer.weights()[parameter].row(0).transpose().cast<double>().cwiseAbs();
                REQUIRE(z.size() == 26);
                mean += z / z.head(25).mean() / 2;
            }
            for (Index k = 0; k < 25; ++k)
                CHECK(masks[static_cast<std::size_t>(25 * layer + 24 - k)] == Approx(mean[k]).epsilon(1e-12));
            CHECK(values(data, "class_weight")[static_cast<std::size_t>(layer)] == Approx(mean[25]).epsilon(1e-12));
            // Outputs are read from the class token, all of whose pairs have one weight, which cancels: in the last
            // layer no number of a mask is learned, in those before all are.
            CHECK((mean.head(25).array() != 1).any() == (layer == 0));
            if (layer == 0) CHECK(mean[25] != 1);
        }

        // The pattern of the last layer's second head, by the definition of its matrix.
        const auto rows = network.heads(trainer.weights(), images.sequence(images.test, 0))[1][1];
        Points weights = (rows.queries.cast<double>() * rows.keys.cast<double>().transpose() / 2).array().exp();
        if (masked) {
            const auto& own = network.layout().find("h.1.attn.head.1");
            Points mask;
            attention::ToeplitzMask({3, 3}, true, trainer.weights()[own].row(0).transpose().cast<double>().cwiseAbs())
                .tile(0, 10, 0, 10, mask);
            weights = weights.cwiseProduct(mask);
        }
        weights.array().colwise() /= weights.rowwise().sum().array();
        REQUIRE(values(data, "near_diagonal").size() == 4);
        CHECK(values(data, "near_diagonal")[3] == Approx(near_diagonal(weights)).epsilon(1e-5));
        CHECK(values(data, "largest_column")[3] == Approx(largest_column(weights)).epsilon(1e-5));
        // Matrices are those of the first seed.
        for (const double weight : values(data, "attention")) CHECK(std::isnan(weight));
    }
}

TEST_CASE("training/images: denominators count over all images, tokens, layers and heads", "[experiments]") {
    const Files files;
    std::string yaml = files.yaml(files.test, "[exact, trigonometric]");
    yaml.replace(yaml.find("columns: 8"), 10, "columns: 2");
    const config::Value config = parsed(images_study_there(), yaml);
    const auto data = computed(images_study_there().prepare(config), {"method=trigonometric", "seed=1"});
    const Images images(config);
    const Stream seed = study_stream(config, "training/images").child(1);
    const NetworkSetting setting(config, masked_methods, {{3, 3}, true});
    const networks::Transformer network(
        small_shape(), setting.heads(setting.methods.values[1], 10, seed.child("features").child("trigonometric"), 0));
    networks::Trainer<float> trainer(network, network.start({}, seed.child("start")),
                                     {.steps = 6, .batch = 3, .rate = 0.02, .max_norm = 1}, 2);
    for (int step = 0; step < 6; ++step)
        trainer.step(images.batch(3, seed.child("batches").child(static_cast<std::uint64_t>(step))));
    const auto left_out = trainer.evaluate(images.spread(images.test, 5)).rows.nonpositive;
    REQUIRE(left_out > 0);
    CHECK(value(data, "nonpositive") == static_cast<double>(left_out) / (5 * 10 * 2 * 2));
}

TEST_CASE("training/images: images held out change nothing that is learned", "[experiments]") {
    const Files files;
    const auto of = [&](const std::string& held_out) {
        return computed(prepared(images_study_there(), files.yaml(held_out)), {"method=FAVOR", "seed=0"});
    };
    const auto one = of(files.test), other = of(files.others);
    for (const char* variable : {"loss", "validation_loss", "validation_accuracy", "mask", "class_weight"})
        CHECK(same_bits(values(one, variable), values(other, variable)));
    CHECK(value(one, "test_loss") != value(other, "test_loss"));
    // Features are drawn again every two steps, and attention of a test image is another one's.
    CHECK_FALSE(same_bits(values(one, "attention"), values(other, "attention")));

    // A method without and with a mask.
    const std::vector<std::string> over{"method", "seed"};
    const auto with = [&](std::initializer_list<const char*> more) {
        std::vector<std::string> axes = over;
        for (const char* name : more) axes.emplace_back(name);
        return axes;
    };
    const auto counted = [](int count) {
        std::vector<double> all;
        for (int i = 0; i < count; ++i) all.push_back(i);
        return all;
    };
    store::Dataset data{{{"method", std::vector<std::string>{"a", "a, masked"}, "", ""},
                         {"rate", std::vector<double>{0.01, 0.1}, "", ""},
                         {"seed", std::vector<double>{0, 1}, "", ""},
                         {"step", std::vector<double>{2, 4}, "", ""},
                         {"layer", counted(1), "", ""},
                         {"down", {std::vector<double>{-1, 0, 1}}, "", ""},
                         {"right", {std::vector<double>{-1, 0, 1}}, "", ""},
                         {"head", counted(1), "", ""},
                         {"query", counted(2), "", ""},
                         {"key", counted(2), "", ""}},
                        {},
                        {}};
    const double nan = std::nan("");
    std::vector<double> masks(18, nan), matrices;
    for (int i = 0; i < 18; ++i) masks.push_back(i % 9);
    for (int i = 0; i < 16; ++i) matrices.push_back(i % 4 / 4.0);
    const std::vector<double> all(4, 0.5);
    data.variables = {{"validation_accuracy", with({"step"}), {.1, .5, .1, .7, .1, .6, .1, .8}, "", ""},
                      {"accuracy", over, {0.5, 0.6, 0.55, 0.67}, "", ""},
                      {"nonpositive", over, {0, 0, 0, 0}, "", ""},
                      {"majority", over, {nan, 0.1, 0.1, 0.1}, "", ""},
                      {"linear", over, {nan, 0.4, 0.4, 0.4}, "", ""},
                      {"diverged_at", over, {nan, nan, nan, nan}, "", ""},
                      {"divergence", over, {0, 0, 0, 0}, "", ""},
                      {"chosen_rate", over, {0.01, 0.01, 0.01, 0.01}, "", ""},
                      {"trial_loss", with({"rate"}), {1, 2, 1, 2, 1, 2, 1, nan}, "", ""},
                      {"trial_diverged_at", with({"rate"}), {nan, nan, nan, nan, nan, nan, nan, 3}, "", ""},
                      {"trial_divergence", with({"rate"}), {0, 0, 0, 0, 0, 0, 0, 1}, "", ""},
                      {"mask", with({"layer", "down", "right"}), masks, "", ""},
                      {"class_weight", with({"layer"}), {nan, nan, 1, 1}, "", ""},
                      {"near_diagonal", with({"layer", "head"}), all, "", ""},
                      {"largest_column", with({"layer", "head"}), all, "", ""},
                      {"uniform_near_diagonal", over, all, "", ""},
                      {"uniform_largest_column", over, all, "", ""},
                      {"attention", with({"layer", "head", "query", "key"}), matrices, "", ""}};
    const Report report = images_study_there().report(data);
    REQUIRE(report.tables.size() == 3);
    const auto& rows = report.tables[0].rows;
    REQUIRE(rows.size() == 4);
    CHECK(std::get<double>(rows[3].entries[2]) == 0.4);
    CHECK(std::get<double>(rows[0].entries[1]) == 0.01);
    CHECK(std::get<report::Estimate>(rows[0].entries[2]).value == Approx(0.55));
    CHECK(std::holds_alternative<report::Missing>(rows[0].entries[3]));
    CHECK(std::get<report::Estimate>(rows[1].entries[3]).value == Approx(0.06));
    CHECK(std::get<std::string>(rows[1].entries[6]) == "0.1: 1 of 2 seeds: the loss is not finite, first at step 3");
    // In the figure each kind has its panel, the same method the same name.
    REQUIRE(report.figures.size() == 3);
    CHECK(contains(report.figures[0].caption, "The most frequent class is 10 % of it. "));
    REQUIRE(report.figures[0].panels.size() == 2);
    CHECK(report.figures[0].panels[0].series[0].label == "a");
    CHECK(report.figures[0].panels[0].series[0].y[1] == Approx(0.6));
    CHECK(report.figures[0].panels[1].series[0].label == "a");
    CHECK(report.figures[0].panels[1].series[0].y[1] == Approx(0.7));
    REQUIRE(report.figures[1].panels.size() == 1);
    CHECK(report.figures[1].panels[0].title == "a, masked");
    // x is the column: entry (down, right) = (1, -1) is the seventh stored, the third of the first column drawn.
    CHECK(report.figures[1].panels[0].map->z[2] == 6);
    REQUIRE(report.figures[2].panels.size() == 2);
    CHECK(report.figures[2].panels[0].map->z == std::vector<double>{0, 0.5, 0.25, 0.75});
    // A file that was collected without masks has all else.
    std::erase_if(data.variables, [](const store::Variable& variable) { return variable.name == "mask"; });
    const Report without = images_study_there().report(data);
    REQUIRE(without.figures.size() == 2);
    CHECK(without.figures[0].panels[1].series[0].label == "a");
}

TEST_CASE("training/images: masks around what takes none, and sizes that do not fit, are refused at their place",
          "[experiments]") {
    const Files files;
    const auto said = [&](const std::string& methods) {
        return refused(images_study_there(), files.yaml(files.test, methods));
    };
    CHECK(said("[exact]") == "accepted");
    CHECK(contains(said("[{use: luna, mask: toeplitz}]"), "mask: 'luna' takes no mask"));
    CHECK(contains(said("[{use: exact, mask: toeplits}]"), "Did you mean 'toeplitz'?"));
    CHECK(contains(refused(find("training", "text"),
                           "methods: [{use: exact, mask: toeplitz}]\nsteps: 1\nrates: 1\n"
                           "seeds: 2\n"),
                   "mask"));
}
