// A Transformer that sees a whole piece of a text and tells the characters that are hidden in it, by each method: bits
// per hidden character against steps (masked language modelling, (2.21) and Figures 3.9 B, 4.3 and 6.5 of the thesis,
// in small), beside counts of the characters on both sides.
#include <algorithm>
#include <cmath>
#include <future>

#include "rfbench/models/gpt2_folder.hpp"
#include "rfbench/statistics/context_counts.hpp"
#include "sources/least_margins.hpp"
#include "sources/masked_texts.hpp"
#include "training/attention_picture.hpp"
#include "training/baselines.hpp"
#include "training/training_memory.hpp"

namespace rfbench::experiments {
namespace {

using Pieces = std::vector<networks::Sequence<float>>;

/// Characters on each side that counts see: none, one, two.
const std::vector<std::vector<int>> contexts{{}, {-1, 1}, {-2, -1, 1, 2}};

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all = text_keys();
    for (KeyRule& rule : network_keys()) all.push_back(std::move(rule));
    all.push_back(hidden_key());
    all.push_back(beyond_key());
    all.push_back(defaulted("pieces", integer(1, 1'000'000), "64", "of validation text, and of text held out"));
    return all;
}

/// Bits a byte by contexts, of the text held out and of the text beyond; empty where there is none.
struct MaskedCounts {
    std::vector<double> test, beyond;
};

struct Setting {
    NetworkSetting network;
    std::shared_ptr<const Text> text;
    std::shared_future<MaskedCounts> counts;  ///< made by the first who asks
    Index pieces;
    double hidden;
    Stream stream;

    Pieces held_out() const { return hide(text->spread(text->test, pieces), hidden, stream.child("test")); }
    networks::TransformerShape shape() const {
        networks::TransformerShape own = network.sizes;
        own.vocabulary = bytes_there_are + 1;
        own.positions = text->length;
        own = models::gpt2_shape(own);
        own.visible = attention::Visible::all;
        return own;
    }
};

store::Dataset compute(const Setting& setting, const Point& at) {
    const std::uint64_t number = at[setting.network.seeds];
    // The same beginning and the same mini-batches, and the same tokens hidden, for all methods and rates.
    const Stream seed = setting.stream.child(number);
    const Text& text = *setting.text;
    const Pieces validation =
        hide(text.spread(text.validation, setting.pieces), setting.hidden, setting.stream.child("validation"));
    const Pieces test = setting.held_out();
    const networks::TransformerShape shape = setting.shape();
    double tested = std::nan(""), beyond = std::nan(""), right = std::nan(""), nonpositive = std::nan("");
    networks::Sequence<float> pictured = test.front();
    pictured.tokens.resize(std::min<std::size_t>(pictured.tokens.size(), 48));
    pictured.targets.clear();
    AttentionPicture picture(shape, pictured.length(), number == 0);
    const TrainedNetwork trained = train_network(
        setting.network, shape, at[setting.network.methods], seed, at.checkpoint(),
        {.next =
             [&](const Stream& own) {
                 return hide(text.batch(setting.network.descent.batch, own), setting.hidden, own.child("hidden"));
             },
         .validation = [&](networks::Trainer<float>& trainer) { return trainer.evaluate(validation).loss; },
         .keep =
             [&](const networks::Transformer& network, networks::Trainer<float>& trainer) {
                 const networks::BatchOutcome outcome = trainer.evaluate(test);
                 tested = outcome.loss.mean() * (bytes_per_character(text.test) / M_LN2);
                 right = outcome.loss.accuracy();
                 // Denominators are one for each token, head and layer.
                 nonpositive =
                     static_cast<double>(outcome.rows.nonpositive) /
                     static_cast<double>(static_cast<Index>(test.size()) * text.length * shape.layers * shape.heads);
                 if (!text.beyond.empty())
                     beyond = trainer
                                  .evaluate(hide(text.spread(text.beyond, setting.pieces), setting.hidden,
                                                 setting.stream.child("beyond")))
                                  .loss.mean() *
                              bytes_per_character(text.beyond) / M_LN2;
                 picture.take(network, trainer.weights(), pictured);
             }});
    store::Dataset data{
        {},
        {{"bits_per_character", {}, {trained.judged(tested)}, "bit", "of characters hidden in the text held out"},
         {"accuracy", {}, {trained.judged(right)}, "", "share of these whose most probable value is right"},
         {"nonpositive",
          {},
          {trained.judged(nonpositive)},
          "",
          "share of denominators that are not positive, on the text held out"}},
        {}};
    trained.add(data, setting.network);
    store::Variable bits{
        "validation_bits", {"step"}, trained.run.validation, "bit", "per character hidden in validation text"};
    const double per_character = bytes_per_character(text.validation) / M_LN2;
    for (double& value : bits.values) value *= per_character;
    data.variables.push_back(std::move(bits));
    data.axes.push_back({"sides", {std::vector<double>{0, 1, 2}}, "", "characters on each side that counts see"});
    const auto add_counts = [&](const char* name, std::vector<double> counted, double bytes, const char* description) {
        for (double& value : counted) value *= bytes;
        data.variables.push_back({name, {"sides"}, std::move(counted), "bit", description});
    };
    add_counts("counts_bits", setting.counts.get().test, bytes_per_character(text.test),
               "per character hidden in the text held out, by counts of the training text");
    if (!text.beyond.empty()) {
        data.variables.push_back({"beyond_bits", {}, {beyond}, "bit", "of characters hidden in the text beyond"});
        add_counts("counts_beyond_bits", setting.counts.get().beyond, bytes_per_character(text.beyond),
                   "the same of the text beyond");
    }
    picture.add(data, "the beginning of the text held out, with characters hidden");
    return data;
}

Sweep prepare(const config::Value& config) {
    const auto text = text_and_beyond(config);
    const Index pieces = whole(config, "pieces");
    const double hidden = config.at("hidden").number();
    const Stream stream = study_stream(config, "training/masked-text");
    // Deferred: plans need no counts, and all cells have the same.
    const auto counts =
        std::async(std::launch::deferred, [=] {
            const auto validation = told_pieces(*text, text->validation, pieces, hidden, stream.child("validation"));
            const auto of = [&](const std::string& part, const char* name) {
                if (part.empty()) return std::vector<double>();
                return statistics::context_bits(text->training, validation,
                                                told_pieces(*text, part, pieces, hidden, stream.child(name)), contexts);
            };
            return MaskedCounts{of(text->test, "test"), of(text->beyond, "beyond")};
        }).share();
    const Setting setting{NetworkSetting(config, encoder_methods), text, counts, pieces, hidden, stream};
    Sweep sweep = Sweep::over(setting.network.methods, setting.network.seeds);
    sweep.data_hash = text->data_hash;
    note_softmax(sweep, setting.network);
    sweep.bytes = training_bytes(setting.shape(), setting.network.methods, setting.network.columns);
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

bool was_evaluated_beyond(const store::Dataset& data) { return data.has_variable("beyond_bits"); }

std::vector<Baseline> counts(const store::Dataset& data) {
    std::vector<Baseline> all;
    for (const auto& [sides, name] :
         {std::pair(0.0, "unigrams"), {1.0, "one neighbour on each side"}, {2.0, "two on each side"}}) {
        all.push_back({name, shared_value(data, "counts_bits", {{"sides", sides}})});
        if (was_evaluated_beyond(data))
            all.back().more.push_back(shared_value(data, "counts_beyond_bits", {{"sides", sides}}));
    }
    return all;
}

std::string margin(const store::Dataset& data) {
    return margin_words(data, {"bits_per_character", true, least_margin::text, 1, "bits per character"},
                        {"counts of two characters on each side", shared_value(data, "counts_bits", {{"sides", 2.0}})});
}

Report report_of(const store::Dataset& data) {
    report::Figure curve{.name = "masked-text",
                         .title = "Telling hidden characters",
                         .caption =
                             "Bits per hidden character of validation text against steps, each training at the "
                             "rate that was best there on trial; means over seeds. What diverged ends where it "
                             "did. Dashed: counts of characters by their neighbours, of the text held out. " +
                             margin(data),
                         .interval = "Bands: " + report::interval_words("seeds"),
                         .panels = {curves(data, "validation_bits")}};
    curve.panels.back().y = {.label = "bits per hidden character"};
    add_lines(curve.panels.back(), counts(data));
    show_means(curve.panels.back());
    std::vector<OutcomeColumn> shown{mean_of(data, "bits_per_character", {"bits per character"})};
    if (was_evaluated_beyond(data)) shown.push_back(mean_of(data, "beyond_bits", {"beyond", "bits per character"}));
    shown.push_back(mean_of(data, "accuracy", share_column("right")));
    shown.push_back(nonpositive_of(data));
    report::Table table = outcome_table(
        data, "masked-text",
        std::string("Bits per character that is hidden in the text held out") +
            (was_evaluated_beyond(data) ? ", and in a text beyond it" : "") +
            ", mean over seeds ± half its 95 % interval; share of these, of the text held out, whose most probable "
            "value is right; share of denominators that are not positive; and what diverged, then and while rates were "
            "on trial. Below: counts of the training text by neighbours, interpolated, with weights fitted to "
            "validation text.",
        {report::word_column("method")}, methods_by_name(data), shown);
    add_rows(table, counts(data));
    table.notes.push_back(margin(data));
    Report report{{std::move(curve)},
                  {std::move(table),
                   rates_table(data, "masked-text-rates", {report::word_column("method")}, methods_by_name(data)),
                   patterns_table(data, "masked-text-patterns")}};
    const std::string where =
        "Weights by which characters (queries) attend to all others (keys) at the beginning of the text held out, ";
    if (auto one = attention_figure(data, "masked-text-attention",
                                    where + "in the first head of the last layer, of the first seed."))
        report.figures.push_back(std::move(*one));
    if (const auto softmax = data.attributes.find("softmax"); softmax != data.attributes.end())
        if (auto all = heads_figure(data, "masked-text-heads", softmax->second,
                                    where + "in every head of every layer, of the first seed."))
            report.figures.push_back(std::move(*all));
    return report;
}

}  // namespace

Study masked_text_study() {
    return {"training",
            "masked-text",
            "a Transformer trained to predict hidden characters of a text, by each method",
            "Likhosherstov 2022, (2.21), Figures 3.9, 4.3 and 6.5",
            1,
            encoder_methods,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
