// A causal Transformer trained to continue a text, by each method: bits per character against steps (Figures 3.9, 3.11
// and 3.12 of the thesis, in small, and 4.3 and 6.5 without masking), beside counts of characters.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <future>

#include "rfbench/models/gpt2_folder.hpp"
#include "rfbench/report/best_mark.hpp"
#include "rfbench/statistics/context_counts.hpp"
#include "sources/least_margins.hpp"
#include "sources/texts.hpp"
#include "training/attention_picture.hpp"
#include "training/baselines.hpp"
#include "training/network_report.hpp"
#include "training/network_training.hpp"
#include "training/training_memory.hpp"

namespace rfbench::experiments {
namespace {

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all = text_keys();
    for (KeyRule& rule : network_keys()) all.push_back(std::move(rule));
    all.push_back(defaulted("pieces", integer(1, 1'000'000), "64", "of validation text, and of text held out"));
    all.push_back(beyond_key());
    all.push_back(optional(
        "models", text(), "folder to which networks with softmax attention are written in GPT-2's layout, one a seed"));
    return all;
}

constexpr int max_order = 5;  ///< of counts

/// Bits a byte of each order, of the text held out after the training text, within it and of another text; empty where
/// there is none.
struct Counts {
    std::vector<double> behind, within, beyond;
};

struct Setting {
    NetworkSetting network;
    std::shared_ptr<const Text> text;
    std::shared_future<Counts> counts;  ///< made by the first who asks
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

std::vector<double> orders() {
    std::vector<double> all;
    for (int order = 0; order <= max_order; ++order) all.push_back(order);
    return all;
}

store::Dataset compute(const Setting& setting, const Point& at) {
    const MethodChoice& method = at[setting.network.methods];
    const std::uint64_t number = at[setting.network.seeds];
    // The same beginning and the same mini-batches for all methods and rates.
    const Stream seed = setting.stream.child(number);
    const auto validation = setting.text->spread(setting.text->validation, setting.pieces);
    networks::BatchOutcome held_out;
    double tested = std::nan(""), within = std::nan(""), beyond = std::nan(""), right = std::nan(""),
           nonpositive = std::nan("");
    const networks::TransformerShape shape = setting.shape();

    // Pictures are of the first seed, and patterns of all.
    AttentionPicture picture(shape, setting.pictured().length(), number == 0);
    const TrainedNetwork trained = train_network(
        setting.network, shape, method, seed, at.checkpoint(),
        {.next = [&](const Stream& own) { return setting.text->batch(setting.network.descent.batch, own); },
         .validation = [&](networks::Trainer<float>& trainer) { return trainer.evaluate(validation).loss; },
         .keep =
             [&](const networks::Transformer& network, networks::Trainer<float>& trainer) {
                 held_out = trainer.evaluate(setting.text->spread(setting.text->test, setting.pieces));
                 // Every token has a target: their number is that of denominators of one head, too.
                 const auto targets = static_cast<double>(held_out.loss.targets);
                 tested = held_out.loss.sum / targets * bytes_per_character(setting.text->test) / M_LN2;
                 right = held_out.loss.accuracy();
                 nonpositive = static_cast<double>(held_out.rows.nonpositive) /
                               (targets * static_cast<double>(shape.layers * shape.heads));
                 if (!setting.text->within.empty())
                     within = trainer.evaluate(setting.text->spread(setting.text->within, setting.pieces)).loss.mean() *
                              bytes_per_character(setting.text->within) / M_LN2;
                 if (!setting.text->beyond.empty())
                     beyond = trainer.evaluate(setting.text->spread(setting.text->beyond, setting.pieces)).loss.mean() *
                              bytes_per_character(setting.text->beyond) / M_LN2;
                 picture.take(network, trainer.weights(), setting.pictured());
                 // GPT-2's layout says nothing of the attention: what reads it takes it to be softmax.
                 if (!setting.models.empty() && method->exact())
                     models::write_gpt2(std::filesystem::path(setting.models) / fmt::format("seed-{}", number), network,
                                        trainer.weights().values());
             }});

    const double per_character = bytes_per_character(setting.text->validation) / M_LN2;
    store::Dataset data{
        {},
        {{"bits_per_character", {}, {trained.judged(tested)}, "bit", "of the text held out"},
         {"within_bits",
          {},
          {trained.judged(within)},
          "bit",
          "per character of the blocks held out within the training text"},
         {"accuracy", {}, {trained.judged(right)}, "", "share of tokens held out whose most probable value is right"},
         {"nonpositive",
          {},
          {trained.judged(nonpositive)},
          "",
          "share of denominators that are not positive, on the text held out"}},
        {}};
    trained.add(data, setting.network);
    data.axes.push_back({"order", orders(), "", "characters before one that counts see"});
    const auto add_counts = [&](const char* name, std::vector<double> bits, double bytes, const char* description) {
        bits.resize(max_order + 1, std::nan(""));
        for (double& value : bits) value *= bytes;
        data.variables.push_back({name, {"order"}, std::move(bits), "bit", description});
    };
    add_counts("counts_bits", setting.counts.get().behind, bytes_per_character(setting.text->test),
               "per character of the text held out, by counts of the training text");
    add_counts("counts_within_bits", setting.counts.get().within, bytes_per_character(setting.text->within),
               "the same of the blocks held out within it");
    if (!setting.text->beyond.empty()) {
        data.variables.push_back({"beyond_bits", {}, {beyond}, "bit", "per character of the text beyond"});
        add_counts("counts_beyond_bits", setting.counts.get().beyond, bytes_per_character(setting.text->beyond),
                   "the same of the text beyond");
    }
    store::Variable bits{
        "validation_bits", {"step"}, trained.run.validation, "bit", "per character of validation text"};
    for (double& value : bits.values) value *= per_character;
    data.variables.push_back(std::move(bits));
    picture.add(data, "the beginning of the text held out");
    return data;
}

/// Refuses networks with softmax attention that a folder of `models` cannot hold: it has one, in GPT-2's layout.
void require_writable(const config::Value& models, const NetworkSetting& network) {
    const MethodChoice* first = nullptr;
    for (const MethodChoice& choice : network.methods) {
        if (!choice->exact()) continue;
        const networks::BesideHeads beside = network.beside(choice);
        if (beside.gate || beside.convolution > 0)
            models.refuse(
                fmt::format("'{}' has a gate or a convolution, which GPT-2's layout cannot hold: leave out "
                            "`models`, or the two keys of this entry",
                            choice.label));
        if (first)
            models.refuse(
                fmt::format("'{}' and '{}' are both softmax attention, and a folder has one network of each "
                            "seed: leave out one of them",
                            first->label, choice.label));
        first = &choice;
    }
}

Sweep prepare(const config::Value& config) {
    const auto text = text_and_beyond(config);
    const Index pieces = whole(config, "pieces");
    // Deferred: plans need no counts, and all cells have the same.
    const auto counts =
        std::async(std::launch::deferred, [text, pieces] {
            const auto of = [&](const std::string& part) {
                if (part.empty()) return std::vector<double>();
                return statistics::context_bits(text->training, text->spread_bytes(text->validation, pieces),
                                                text->spread_bytes(part, pieces), max_order);
            };
            return Counts{of(text->test), of(text->within), of(text->beyond)};
        }).share();
    const Setting setting{NetworkSetting(config),
                          text,
                          counts,
                          pieces,
                          config.has("models") ? config.at("models").text() : "",
                          study_stream(config, "training/text")};
    if (config.has("models")) require_writable(config.at("models"), setting.network);
    Sweep sweep = Sweep::over(setting.network.methods, setting.network.seeds);
    sweep.data_hash = setting.text->data_hash;
    note_softmax(sweep, setting.network);
    sweep.bytes = training_bytes(setting.shape(), setting.network.methods, setting.network.columns);
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

/// Whether networks were evaluated on another text.
bool has_beyond(const store::Dataset& data) { return data.has_variable("beyond_bits"); }

/// Counts of these orders.
std::vector<Baseline> counts(const store::Dataset& data, const std::vector<std::pair<int, std::string>>& named) {
    std::vector<Baseline> all;
    for (const auto& [order, name] : named) {
        const report::Fixed at{{"order", static_cast<double>(order)}};
        all.push_back({name, shared_value(data, "counts_bits", at), {shared_value(data, "counts_within_bits", at)}});
        if (has_beyond(data)) all.back().more.push_back(shared_value(data, "counts_beyond_bits", at));
    }
    return all;
}

std::string margin(const store::Dataset& data) {
    // Half of what trigrams gain over bigrams is asked for.
    return margin_words(data, {"bits_per_character", true, least_margin::text, 1, "bits per character"},
                        counts(data, {{2, "trigrams"}})[0]);
}

report::Figure figure(const store::Dataset& data) {
    report::Figure result{.name = "text",
                          .title = "Continuing a text",
                          .caption =
                              "Bits per character of validation text against steps, each training at the rate that "
                              "was best there on trial; means over seeds. What diverged ends where it did. Dashed: "
                              "interpolated n-grams of characters, on the text held out. " +
                              margin(data),
                          .interval = "Bands: " + report::interval_words("seeds")};
    result.panels.push_back(curves(data, "validation_bits"));
    result.panels.back().y = {.label = "bits per character"};
    add_lines(result.panels.back(), counts(data, {{0, "unigrams"}, {1, "bigrams"}, {2, "trigrams"}, {4, "5-grams"}}));
    show_means(result.panels.back());
    return result;
}

report::Table table(const store::Dataset& data) {
    std::vector<OutcomeColumn> shown{mean_of(data, "bits_per_character", {"after", "bits per character"}),
                                     mean_of(data, "within_bits", {"within", "bits per character"})};
    if (has_beyond(data)) shown.push_back(mean_of(data, "beyond_bits", {"beyond", "bits per character"}));
    std::vector<std::size_t> bits;
    for (std::size_t i = 0; i < shown.size(); ++i) bits.push_back(2 + i);
    shown.push_back(mean_of(data, "accuracy", share_column("right")));
    shown.push_back(nonpositive_of(data));
    report::Table result = outcome_table(
        data, "text",
        fmt::format("Bits per character of the text held out after the training text, {}of blocks held out within it, "
                    "mean over seeds ± half its 95 % interval; share of characters, of the first, whose most probable "
                    "value is right; share of denominators that are not positive; and what diverged, then and while "
                    "rates were on trial. Below: interpolated n-grams of the training text, with weights fitted to "
                    "validation text.",
                    has_beyond(data) ? "of a text beyond it and " : "and "),
        {report::word_column("method")}, methods_by_name(data), shown);
    report::mark_best(result, report::Best::least, bits, {"softmax", "exact"});
    add_rows(
        result,
        counts(data,
               {{0, "unigrams"}, {1, "bigrams"}, {2, "trigrams"}, {3, "4-grams"}, {4, "5-grams"}, {5, "6-grams"}}));
    result.notes.push_back(margin(data));
    return result;
}

Report report_of(const store::Dataset& data) {
    Report report{{figure(data)},
                  {table(data), rates_table(data, "text-rates", {report::word_column("method")}, methods_by_name(data)),
                   patterns_table(data, "text-patterns")}};
    const std::string where =
        "Weights by which characters (queries) attend to themselves and those before them (keys) at the beginning of "
        "the text held out, ";
    auto add = [&](std::optional<report::Figure> one) {
        if (one) report.figures.push_back(std::move(*one));
    };
    add(attention_figure(data, "text-attention",
                         where + "in the first head of the last layer, of the first seed. Of each method from its "
                                 "least to its own largest weight."));
    if (const auto softmax = data.attributes.find("softmax"); softmax != data.attributes.end())
        add(heads_figure(data, "text-heads", softmax->second,
                         where + "in every head of every layer, of the first seed."));
    return report;
}

}  // namespace

Study text_study() {
    return {"training",
            "text",
            "a causal Transformer trained to continue a text, by each method",
            "Likhosherstov 2022, Figures 3.9, 3.11 and 3.12",
            2,
            network_methods,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
