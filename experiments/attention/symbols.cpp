// Figure 3.16 of the thesis: attention of trained networks between kinds of symbols, beyond what places alone explain.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "rfbench/attention/symbol_weights.hpp"
#include "rfbench/parallel/parts.hpp"
#include "rfbench/report/averaged.hpp"
#include "rfbench/store/sha256.hpp"
#include "sources/head_weights.hpp"
#include "sources/stored_network.hpp"
#include "study/foundation.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

const MethodKey none{};

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {required("networks",
                     one_or_more(object({required("from", text(),
                                                  "the configuration that trains it, as "
                                                  "training/teachers"),
                                         required("source", text(), "the text that it was trained on")})),
                     "trained networks of texts"),
            defaulted("seeds", integer(1, 1000), "3", "networks of each"),
            defaulted("alike", one_or_more(text()), "[aeiou, bcdfghjklmnpqrstvwxyz]",
                      "characters that are alike, a word for each kind")};
}

/// Characters that are looked at, in the order of their kinds.
struct Symbols {
    std::string characters;
    std::vector<int> kinds;

    explicit Symbols(const config::Value& words) {
        int kind = 0;
        bool pairs = false;  // of different characters of one kind
        for (const config::Value& word : words.items()) {
            if (word.text().empty()) word.refuse("a kind needs a character");
            pairs = pairs || word.text().size() > 1;
            for (const char one : word.text()) {
                if (static_cast<unsigned char>(one) > 127)
                    word.refuse("characters of one byte (ASCII) are taken: tokens are bytes");
                if (characters.find(one) != std::string::npos)
                    word.refuse(fmt::format("'{}' stands there twice: a character is of one kind", one));
                characters += one;
                kinds.push_back(kind);
            }
            ++kind;
        }
        if (kind < 2)
            words.refuse("there is one kind; two are needed, so that characters of one can differ from others");
        if (!pairs)
            words.refuse(
                "every kind has one character; one of them needs two, since pairs of different characters of one kind "
                "are compared with pairs of two kinds");
    }

    /// Number of each token among the symbols; -1: it is none of them.
    std::vector<int> of(const std::vector<int>& tokens) const {
        std::vector<int> all;
        for (const int token : tokens) {
            const std::size_t found = token < 128 ? characters.find(static_cast<char>(token)) : std::string::npos;
            all.push_back(found == std::string::npos ? -1 : static_cast<int>(found));
        }
        return all;
    }
    std::vector<std::string> words() const {
        std::vector<std::string> all;
        for (const char one : characters) all.emplace_back(1, one);
        return all;
    }
};

using Networks = std::vector<std::shared_ptr<const StoredNetwork>>;  ///< of one source, by seed

/// Networks of an entry, and the hash of all that are kept of it: asking for more seeds changes no cell.
/// Throws config::Error there.
std::pair<Networks, std::string> networks_of(const config::Value& entry, std::int64_t seeds) {
    const store::Dataset data = foundation(entry.at("from"));
    const std::string& source = entry.at("source").text();
    Networks all;
    std::string hashes;
    try {
        for (const double seed : report::numbers(data, "seed")) {
            auto network = std::make_shared<const StoredNetwork>(read_network(data, source, seed));
            hashes += network->hash();
            if (static_cast<std::int64_t>(all.size()) < seeds) all.push_back(std::move(network));
        }
    } catch (const std::invalid_argument& error) {
        entry.refuse(fmt::format("{}: {}", entry.at("from").text(), error.what()));
    }
    if (static_cast<std::int64_t>(all.size()) < seeds)
        entry.refuse(fmt::format("{} networks are asked for ('seeds'); {} has {} of '{}'", seeds,
                                 entry.at("from").text(), all.size(), source));
    const auto& first = *all.front();
    if (first.sequences.empty() || first.sequences.front().tokens.empty() || first.network.shape().vocabulary < 256)
        entry.at("source").refuse(fmt::format("tokens of '{}' are no bytes of a text", source));
    return {all, store::sha256(hashes)};
}

struct Setting {
    Axis<Networks> networks;
    Axis<std::uint64_t> seeds;
    Symbols symbols;
};

std::vector<double> numbers_from_one(Index count) {
    std::vector<double> all;
    for (Index i = 1; i <= count; ++i) all.push_back(static_cast<double>(i));
    return all;
}

store::Dataset compute(const Setting& setting, const Point& at) {
    const StoredNetwork& stored = *at[setting.networks][static_cast<std::size_t>(at[setting.seeds])];
    const networks::TransformerShape& shape = stored.network.shape();
    const auto count = static_cast<Index>(setting.symbols.characters.size());
    std::vector<attention::SymbolWeights> heads(static_cast<std::size_t>(shape.layers * shape.heads),
                                                {count, stored.sequences.front().length()});
    for (const Index number : parallel::Parts(static_cast<Index>(stored.sequences.size()))) {
        const auto& sequence = stored.sequences[static_cast<std::size_t>(number)];
        const std::vector<int> symbols = setting.symbols.of(sequence.tokens);
        const auto rows = stored.network.heads(stored.weights, sequence);
        for (Index r = 0; r < shape.layers; ++r)
            for (Index h = 0; h < shape.heads; ++h)
                heads[static_cast<std::size_t>(r * shape.heads + h)].add(
                    symbols, head_weights(stored.network, stored.weights, r, h,
                                          rows[static_cast<std::size_t>(r)][static_cast<std::size_t>(h)]));
    }

    Points sums = Points::Zero(count, count), by_place = sums;
    std::vector<double> ratios;
    for (const attention::SymbolWeights& head : heads) {
        const Points placed = head.by_place();
        ratios.push_back(attention::alike_ratio(head.sums(), placed, setting.symbols.kinds));
        sums += head.sums();
        by_place += placed;
    }
    const std::vector<std::string> words = setting.symbols.words();
    const auto values = [](const Points& all) { return std::vector<double>(all.data(), all.data() + all.size()); };
    return {{{"layer", numbers_from_one(shape.layers), "", "of the network"},
             {"head", numbers_from_one(shape.heads), "", "of a layer"},
             {"query", words, "", "character of the token that looks"},
             {"key", words, "", "character of the token that is looked at"}},
            {{"alike",
              {"layer", "head"},
              std::move(ratios),
              "",
              "attention between different characters of one kind over that between kinds, each over that by places"},
             {"weights", {"query", "key"}, values(sums), "", "attention summed over pairs, heads and layers"},
             {"by_place", {"query", "key"}, values(by_place), "", "the same of heads that look at places alone"}},
            {}};
}

Sweep prepare(const config::Value& config) {
    // Checked before the networks, which may have to be trained.
    Symbols symbols(config.at("alike"));
    Axis<Networks> axis{"network", {}, std::vector<std::string>{}, "", "what it was trained on", {"networks"}};
    auto& labels = std::get<std::vector<std::string>>(axis.labels);
    double tokens = 0;
    for (const config::Value& entry : config.at("networks").items()) {
        const std::string& source = entry.at("source").text();
        if (std::find(labels.begin(), labels.end(), source) != labels.end())
            entry.at("source").refuse(fmt::format("'{}' is there twice", source));
        labels.push_back(source);
        auto [networks, hash] = networks_of(entry, config.at("seeds").integer());
        axis.values.push_back(std::move(networks));
        axis.data.push_back(std::move(hash));
        const networks::TransformerShape &first = axis.values.front().front()->network.shape(),
                                         &own = axis.values.back().front()->network.shape();
        if (own.layers != first.layers || own.heads != first.heads)
            entry.refuse(
                fmt::format("this network has {} layers of {} heads, and the first one {} of {}: one "
                            "configuration has networks of one size",
                            own.layers, own.heads, first.layers, first.heads));
        tokens = std::max(
            tokens, static_cast<double>(own.positions) * static_cast<double>(own.layers * own.heads * own.positions));
        axis.contents.push_back(entry.at("from").text());
    }
    const Setting setting{std::move(axis), repeat_axis("seed", Key{config, "seeds"}, "of the network"),
                          std::move(symbols)};
    Sweep sweep = Sweep::over(setting.networks, setting.seeds);
    sweep.bytes = sizeof(double) * tokens;  // a matrix of places for each head
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

/// log2 of attention over that by places, means over seeds.
report::Figure figure(const store::Dataset& data) {
    report::Figure result{
        .name = "symbols",
        .title = "Attention between characters",
        .caption =
            "log2 of the attention between characters, summed over pairs of tokens, heads and layers, over what "
            "heads would have that look at places alone; means over seeds. Characters stand in the order of "
            "their kinds. White: as places have it. Holes: pairs that no sequence has.",
        .columns = 2};
    const auto& words = report::words(data, "query");
    std::vector<double> places;
    std::vector<report::Tick> ticks;
    for (const std::string& word : words) {
        ticks.push_back({static_cast<double>(places.size()), word});
        places.push_back(static_cast<double>(places.size()));
    }
    for (const std::string& network : report::words(data, "network")) {
        report::Slice ratio = report::slice(data, "weights", {{"network", network}}, {"seed", "key", "query"});
        const report::Slice placed = report::slice(data, "by_place", {{"network", network}}, {"seed", "key", "query"});
        for (std::size_t i = 0; i < ratio.values.size(); ++i) {
            const double value = std::log2(ratio.values[i] / placed.values[i]);
            ratio.values[i] = std::isfinite(value) ? value : std::nan("");
        }
        const report::Averages mean = report::average(ratio, "seed");
        if (mean.empty()) continue;
        report::Panel panel{.title = network};
        panel.x = {.label = "key", .ticks = ticks};
        panel.y = {.label = "query", .ticks = ticks};
        panel.map = report::HeatMap{.x = places,
                                    .y = places,
                                    .z = mean.mean,
                                    .label = "log2 of the ratio",
                                    .palette = report::Palette::diverging,
                                    .range = std::pair(-2.0, 2.0)};
        result.panels.push_back(std::move(panel));
    }
    return result;
}

report::Table table(const store::Dataset& data) {
    const report::Format number{report::Format::Kind::significant, 3};
    report::Table result{
        .name = "symbols",
        .caption =
            "How much more attention goes to pairs of different characters of one kind than to pairs of two "
            "kinds, beyond what places alone explain: mean over a layer's heads, and the largest of them, then "
            "over seeds ± half its 95 % interval. 1: kinds make no difference.",
        .columns = {report::word_column("network"),
                    {"layer"},
                    report::number_column("alike over others", number),
                    report::number_column("largest head", number)}};
    for (const std::string& network : report::words(data, "network"))
        for (const double layer : report::numbers(data, "layer")) {
            const report::Slice by_head =
                report::slice(data, "alike", {{"network", network}, {"layer", layer}}, {"seed", "head"});
            const auto mean = report::average(by_head, "head");
            std::vector<double> largest(mean.mean.size(), std::nan(""));
            const std::size_t heads = report::numbers(data, "head").size();
            for (std::size_t i = 0; i < by_head.values.size(); ++i)
                largest[i / heads] = std::fmax(largest[i / heads], by_head.values[i]);
            result.rows.push_back(
                {{network, layer, report::averaged_entry(mean.mean), report::averaged_entry(largest)}});
        }
    report::group_by_first(result);
    return result;
}

Report report_of(const store::Dataset& data) { return {{figure(data)}, {table(data)}}; }

}  // namespace

Study symbols_study() {
    return {"attention",
            "symbols",
            "attention of trained networks between kinds of characters",
            "Likhosherstov 2022, Figure 3.16",
            1,
            none,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
