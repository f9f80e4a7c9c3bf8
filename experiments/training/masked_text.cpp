// A Transformer that sees a whole piece of a text and tells the characters that are hidden in it, by each method: bits
// per hidden character against steps (masked language modelling, (2.21) and Figures 3.9 B, 4.3 and 6.5 of the thesis,
// in small), beside counts of the characters on both sides.
#include <algorithm>
#include <cmath>
#include <future>
#include <numeric>

#include "rfbench/models/gpt2_folder.hpp"
#include "rfbench/statistics/context_counts.hpp"
#include "sources/texts.hpp"
#include "training/attention_picture.hpp"
#include "training/baselines.hpp"

namespace rfbench::experiments {
namespace {

using Pieces = std::vector<networks::Sequence<float>>;

constexpr int hidden_token = bytes_there_are;  ///< in the place of a byte that is hidden

/// Characters on each side that counts see: none, one, two.
const std::vector<std::vector<int>> contexts{{}, {-1, 1}, {-2, -1, 1, 2}};

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all = text_keys();
    for (KeyRule& rule : network_keys()) all.push_back(std::move(rule));
    all.push_back(
        defaulted("hidden", real(above(0).below(1)), "0.15", "share of a piece's tokens that are to be told"));
    all.push_back(defaulted("pieces", integer(1, 1'000'000), "64", "of validation text, and of text held out"));
    return all;
}

/// Places that are hidden in a piece of so many tokens, at least one, ascending.
std::vector<Index> hidden_places(Index length, double share, Stream stream) {
    std::vector<Index> places(static_cast<std::size_t>(length));
    std::iota(places.begin(), places.end(), Index{0});
    const auto count =
        std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(share * static_cast<double>(length))));
    // The first places of a shuffle.
    for (std::size_t i = 0; i < count; ++i) std::swap(places[i], places[i + stream.below(places.size() - i)]);
    places.resize(count);
    std::sort(places.begin(), places.end());
    return places;
}

/// The pieces with tokens hidden, each of which is a target. Piece i is hidden by the stream's child i.
Pieces hide(Pieces pieces, double share, const Stream& stream) {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        networks::Sequence<float>& piece = pieces[i];
        piece.targets.clear();
        for (const Index place : hidden_places(piece.length(), share, stream.child(i))) {
            int& token = piece.tokens[static_cast<std::size_t>(place)];
            piece.targets.push_back({place, token});
            token = hidden_token;
        }
    }
    return pieces;
}

struct Setting {
    NetworkSetting network;
    std::shared_ptr<const Text> text;
    std::shared_future<std::vector<double>> counts;  ///< bits a byte by contexts, made by the first who asks
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
    const double per_character = text.bytes_per_character / M_LN2;
    double tested = std::nan(""), right = std::nan(""), nonpositive = std::nan("");
    networks::Sequence<float> pictured = test.front();
    pictured.tokens.resize(std::min<std::size_t>(pictured.tokens.size(), 48));
    pictured.targets.clear();
    AttentionPicture picture(shape, pictured.length(), number == 0);
    const TrainedNetwork trained = train_network(
        setting.network, shape, at[setting.network.methods], seed, at.checkpoint(),
        [&](int step) {
            const Stream own = seed.child("batches").child(static_cast<std::uint64_t>(step));
            return hide(text.batch(setting.network.descent.batch, own), setting.hidden, own.child("hidden"));
        },
        [&](networks::Trainer<float>& trainer) { return trainer.evaluate(validation).loss; },
        [&](const networks::Transformer& network, networks::Trainer<float>& trainer) {
            const networks::BatchOutcome outcome = trainer.evaluate(test);
            tested = outcome.loss.mean() * per_character;
            right = outcome.loss.accuracy();
            // Denominators are one for each token, head and layer.
            nonpositive =
                static_cast<double>(outcome.rows.nonpositive) /
                static_cast<double>(static_cast<Index>(test.size()) * text.length * shape.layers * shape.heads);
            picture.take(network, trainer.weights(), pictured);
        });
    store::Dataset data{
        {},
        {{"bits_per_character", {}, {tested}, "bit", "of characters hidden in the text held out"},
         {"accuracy", {}, {right}, "", "share of these whose most probable value is right"},
         {"nonpositive", {}, {nonpositive}, "", "share of denominators that are not positive, on the text held out"}},
        {}};
    trained.add(data, setting.network);
    store::Variable bits{
        "validation_bits", {"look"}, trained.run.validation, "bit", "per character hidden in validation text"};
    for (double& value : bits.values) value *= per_character;
    data.variables.push_back(std::move(bits));
    data.axes.push_back({"sides", {std::vector<double>{0, 1, 2}}, "", "characters on each side that counts see"});
    store::Variable counted{"counts_bits",
                            {"sides"},
                            setting.counts.get(),
                            "bit",
                            "per character hidden in the text held out, by counts of the training text"};
    for (double& value : counted.values) value *= text.bytes_per_character;
    data.variables.push_back(std::move(counted));
    picture.add(data, "the beginning of the text held out, with characters hidden");
    return data;
}

/// The same pieces for counts.
std::vector<statistics::ToldPiece> told_pieces(const Text& text, const std::string& part, Index pieces, double hidden,
                                               const Stream& stream) {
    std::vector<statistics::ToldPiece> all;
    const auto bytes = text.spread_bytes(part, pieces);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        statistics::ToldPiece piece{bytes[i].substr(0, static_cast<std::size_t>(text.length)), {}};
        for (const Index place : hidden_places(text.length, hidden, stream.child(i)))
            piece.told.push_back(static_cast<std::size_t>(place));
        all.push_back(std::move(piece));
    }
    return all;
}

Sweep prepare(const config::Value& config) {
    const auto text = std::make_shared<const Text>(config);
    const Index pieces = whole(config, "pieces");
    const double hidden = config.at("hidden").number();
    const Stream stream = study_stream(config, "training/masked-text");
    // Deferred: plans need no counts, and all cells have the same.
    const auto counts =
        std::async(std::launch::deferred, [=] {
            return statistics::context_bits(
                text->training, told_pieces(*text, text->validation, pieces, hidden, stream.child("validation")),
                told_pieces(*text, text->test, pieces, hidden, stream.child("test")), contexts);
        }).share();
    const Setting setting{NetworkSetting(config, encoder_methods), text, counts, pieces, hidden, stream};
    Sweep sweep = Sweep::over(setting.network.methods, setting.network.seeds);
    sweep.data_hash = text->data_hash;
    note_softmax(sweep, setting.network);
    const auto& sizes = setting.network.sizes;
    const double parameters = static_cast<double>(sizes.layers * sizes.width * (4 * sizes.width + 2 * sizes.inner));
    sweep.bytes = sizeof(float) * (6 * parameters + 30.0 * 512 * static_cast<double>(sizes.layers * sizes.width));
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

std::vector<Baseline> counts(const store::Dataset& data) {
    std::vector<Baseline> all;
    for (const auto& [sides, name] :
         {std::pair(0.0, "frequencies"), {1.0, "one neighbour on each side"}, {2.0, "two on each side"}})
        for (const double value : report::slice(data, "counts_bits", {{"sides", sides}}).values)
            if (!std::isnan(value)) {
                all.push_back({name, value});
                break;  // every cell has the same
            }
    return all;
}

std::string margin(const store::Dataset& data) {
    const auto all = counts(data);
    if (all.size() < 3) return "";
    return margin_words(data, {"bits_per_character", true, 0.25, 1, "bits per character"},
                        {"counts of two characters on each side", all[2].value});
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
    report::Table table = outcome_table(
        data, "masked-text",
        "Bits per character that is hidden in the text held out, mean over seeds ± half its 95 % interval; share of "
        "these whose most probable value is right; share of denominators that are not positive; and what diverged, "
        "then and while rates were on trial. Below: counts of the training text by neighbours, interpolated, with "
        "weights fitted to validation text.",
        {report::word_column("method")}, methods_by_name(data),
        {mean_of(data, "bits_per_character", {"bits per character"}), mean_of(data, "accuracy", share_column("right")),
         nonpositive_of(data)});
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
            "a Transformer trained to tell characters hidden in a text, by each method",
            "Likhosherstov 2022, (2.21), Figures 3.9, 4.3 and 6.5",
            1,
            encoder_methods,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
