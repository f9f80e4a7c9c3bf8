// A causal Transformer trained to continue a text, by each method: bits per character against steps (Figures 3.9, 3.11,
// 3.12, 4.3 and 6.5 of the thesis, in small).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "rfbench/models/gpt2_folder.hpp"
#include "sources/texts.hpp"
#include "training/attention_picture.hpp"
#include "training/network_report.hpp"
#include "training/network_training.hpp"

namespace rfbench::experiments {
namespace {

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all = text_keys();
    for (KeyRule& rule : network_keys()) all.push_back(std::move(rule));
    all.push_back(defaulted("pieces", integer(1, 1'000'000), "64", "of validation text, and of text held out"));
    all.push_back(optional("models", text(),
                           "folder to which networks with softmax attention are written in GPT-2's layout, one a rate "
                           "and seed"));
    return all;
}

struct Setting {
    NetworkSetting network;
    std::shared_ptr<const Text> text;
    Index pieces;
    std::string models;
    Stream stream;

    /// The beginning of the text held out, as long as a picture shows well.
    networks::Sequence<float> pictured() const {
        networks::Sequence<float> piece = text->spread(text->test, 1).front();
        piece.tokens.resize(std::min<std::size_t>(piece.tokens.size(), 48));
        piece.targets.clear();
        return piece;
    }

    networks::TransformerShape shape() const {
        networks::TransformerShape own = network.sizes;
        own.vocabulary = bytes_there_are;
        own.positions = text->length;
        // GPT-2's, so that what is trained can be written in its layout.
        return models::gpt2_shape(own);
    }
};

store::Dataset compute(const Setting& setting, const Point& at) {
    const MethodChoice& method = at[setting.network.methods];
    const double rate = at[setting.network.rates];
    const std::uint64_t number = at[setting.network.seeds];
    // The same beginning and the same mini-batches for all methods and rates.
    const Stream seed = setting.stream.child(number);
    const auto validation = setting.text->spread(setting.text->validation, setting.pieces);
    networks::BatchOutcome held_out;
    double tested = std::nan(""), right = std::nan(""), nonpositive = std::nan("");
    const networks::TransformerShape shape = setting.shape();

    AttentionPicture picture(shape, setting.pictured().length());
    const NetworkRun run = train_network(
        setting.network, shape, method, rate, seed, at.draft(),
        [&](int step) {
            return setting.text->batch(setting.network.descent.batch,
                                       seed.child("batches").child(static_cast<std::uint64_t>(step)));
        },
        [&](networks::Trainer<float>& trainer) { return trainer.evaluate(validation).loss; },
        [&](const networks::Transformer& network, networks::Trainer<float>& trainer) {
            held_out = trainer.evaluate(setting.text->spread(setting.text->test, setting.pieces));
            // Every token has a target: their number is that of denominators of one head, too.
            const auto targets = static_cast<double>(held_out.loss.targets);
            tested = held_out.loss.sum / targets * setting.text->bytes_per_character / M_LN2;
            right = held_out.loss.accuracy();
            nonpositive = static_cast<double>(held_out.rows.nonpositive) /
                          (targets * static_cast<double>(shape.layers * shape.heads));
            picture.take(network, trainer.weights(), setting.pictured());
            // GPT-2's layout says nothing of the attention: what reads it takes it to be softmax.
            if (!setting.models.empty() && method.can(Ability::exact))
                models::write_gpt2(std::filesystem::path(setting.models) / fmt::format("rate-{}-seed-{}", rate, number),
                                   network, trainer.weights().values());
        });

    const double per_character = setting.text->bytes_per_character / M_LN2;
    store::Dataset data{
        {},
        {{"bits_per_character", {}, {tested}, "bit", "of the text held out"},
         {"accuracy", {}, {right}, "", "share of tokens held out whose most probable value is right"},
         {"nonpositive", {}, {nonpositive}, "", "share of denominators that are not positive, on the text held out"}},
        {}};
    run.add(data, setting.network);
    store::Variable bits{"validation_bits", {"look"}, run.validation, "bit", "per character of validation text"};
    for (double& value : bits.values) value *= per_character;
    data.variables.push_back(std::move(bits));
    picture.add(data, "the beginning of the text held out");
    return data;
}

Sweep prepare(const config::Value& config) {
    const Setting setting{NetworkSetting(config), std::make_shared<const Text>(config), whole(config, "pieces"),
                          config.has("models") ? config.at("models").text() : "",
                          study_stream(config, "training/text")};
    Sweep sweep = Sweep::over(setting.network.methods, setting.network.rates, setting.network.seeds);
    sweep.data_hash = setting.text->data_hash;
    // Activations of a part of a batch, some 30 numbers a token and column of the layers, and parameters six times.
    const auto& sizes = setting.network.sizes;
    const double parameters = static_cast<double>(sizes.layers * sizes.width * (4 * sizes.width + 2 * sizes.inner));
    sweep.bytes = sizeof(float) * (6 * parameters + 30.0 * 512 * static_cast<double>(sizes.layers * sizes.width));
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

report::Figure figure(const store::Dataset& data) {
    report::Figure result{.name = "text",
                          .title = "Continuing a text",
                          .caption =
                              "Bits per character of validation text against steps, each method at the rate that is "
                              "best for it there; means over seeds. What diverged ends where it did.",
                          .interval = "Bands: " + report::interval_words("seeds")};
    result.panels.push_back(curves(data, "validation_bits"));
    result.panels.back().y = {.label = "bits per character"};
    return result;
}

report::Table table(const store::Dataset& data) {
    return outcome_table(data, "text",
                         "Bits per character of the text held out, at the rate that is best on validation text, mean "
                         "over seeds ± half its 95 % interval; share of characters whose most probable value is right; "
                         "share of denominators that are not positive; and what diverged, at that rate and at others.",
                         {report::word_column("method")}, methods_by_name(data),
                         {mean_of(data, "bits_per_character", {"bits per character"}),
                          mean_of(data, "accuracy", share_column("right")), nonpositive_of(data)});
}

report::Table rates(const store::Dataset& data) {
    return rates_table(data, "text-rates", "Bits per character of validation text", "validation_bits", {},
                       {report::word_column("method")}, methods_by_name(data));
}

Report report_of(const store::Dataset& data) {
    Report report{{figure(data)}, {table(data), rates(data)}};
    auto attention = attention_figure(
        data, "text-attention",
        "Weights by which characters (queries) attend to themselves and those before them (keys) at the beginning of "
        "the text held out, in the first head of the last layer, of the first seed. Of each method from its least to "
        "its own largest weight.");
    if (attention) report.figures.push_back(std::move(*attention));
    return report;
}

}  // namespace

Study text_study() {
    return {"training",
            "text",
            "a causal Transformer trained to continue a text, by each method",
            "Likhosherstov 2022, Figures 3.9, 3.11, 3.12, 4.3 and 6.5",
            1,
            network_methods,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
