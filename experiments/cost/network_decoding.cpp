// Figure 4 of Chen et al. 2024 (DiJiang), for a whole network that writes token by token: tokens a second and bytes of
// state against the position. Costs do not depend on weights: they are drawn. Its results are times: its files differ
// from run to run, and say so.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cost/decoding_report.hpp"
#include "rfbench/networks/decoder.hpp"
#include "rfbench/parallel/openmp_threads.hpp"
#include "rfbench/parallel/parts.hpp"
#include "sources/normal_points.hpp"
#include "study/measured_runs.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

const MethodKey taken{
    .abilities = {Ability::exact, Ability::features}, .columns = true, .sampling = EntrySampling::drawn};

/// Tokens that maps are fitted to, before any is written.
constexpr Index fitted_tokens = 512;

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("positions", integers(1, 1'000'000), "tokens before those that are timed"),
        defaulted("timed", integer(1, 1'000'000), "16", "tokens that a sample is the mean over"),
        defaulted("layers", integer(1, 100), "4", "of the Transformer"),
        defaulted("heads", integer(1, 256), "4", "of each layer"),
        defaulted("width", integer(1, 16384), "128", "of a token, a multiple of heads"),
        defaulted("inner", integer(1, 65536), "512", "width within the feed-forward part"),
        defaulted("columns", integer(1, 65536), "64", "real columns of features of a head"),
        threads_key("[1]"),
        defaulted("repeats", integer(2, 1000), "5", "sequences that are written"),
    };
}

struct Setting {
    Axis<MethodChoice> methods;
    Axis<Index> threads, positions;  // positions ascend; they, methods and repeats are inside a cell
    Axis<std::uint64_t> repeats;
    networks::TransformerShape shape;
    Index columns, timed;
    Stream stream;

    Index longest() const { return positions.values.back() + timed; }

    /// One map for all heads: what a head costs does not depend on what it has drawn.
    networks::Heads heads(const MethodChoice& method) const {
        if (method->exact()) return networks::softmax_heads(shape.layers * shape.heads);
        const Index dimension = shape.width / shape.heads;
        const auto points = [&](const char* what) {
            return normal_points(stream.child("fitted to").child(what), fitted_tokens, dimension);
        };
        const std::shared_ptr<const training::HeadAttention> head =
            training::fixed_attention(method->head_features()->features(points("queries"), points("keys"))(
                method.columns_within(columns), method.scheme(sampling::find("orthogonal")), stream.child("features")));
        return networks::Heads(static_cast<std::size_t>(shape.layers * shape.heads), head);
    }
    networks::Decoder<float> decoder(const MethodChoice& method) const {
        const networks::Transformer network(shape, heads(method));
        return {network,
                networks::Weights<float>(network.layout(), network.start({}, stream.child("weights")).cast<float>(),
                                         networks::Passes::forward)};
    }
};

/// Writes on to `end`; a token is any: what it is costs nothing.
void write(networks::Decoder<float>& decoder, Index end) {
    while (decoder.tokens() < end) decoder.step(static_cast<int>(decoder.tokens() % 64));
}

double step_seconds(networks::Decoder<float>& decoder, Index count) {
    const auto begin = std::chrono::steady_clock::now();
    write(decoder, decoder.tokens() + count);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / static_cast<double>(count);
}

store::Dataset compute(const Setting& setting, const Point& at) {
    const parallel::OpenMpThreads team(static_cast<int>(at[setting.threads]));
    const std::size_t methods = setting.methods.size(), positions = setting.positions.size();
    std::vector<double> seconds(methods * positions * setting.repeats.size()), bytes(methods * positions);
    parallel::Parts parts(static_cast<Index>(setting.repeats.size() * positions));
    for (std::size_t r = 0; r < setting.repeats.size(); ++r) {
        // Networks begin anew in each round: what is remembered grows from no token on.
        std::vector<networks::Decoder<float>> decoders;
        for (const MethodChoice& method : setting.methods) decoders.push_back(setting.decoder(method));
        for (std::size_t p = 0; p < positions; ++p) {
            // Timed in turns, so that whatever disturbs the machine disturbs all alike.
            for (std::size_t m = 0; m < methods; ++m) {
                write(decoders[m], setting.positions.values[p]);
                bytes[m * positions + p] = static_cast<double>(decoders[m].bytes());
                seconds[(m * positions + p) * setting.repeats.size() + r] = step_seconds(decoders[m], setting.timed);
            }
            parts.done();
        }
    }
    return {{setting.methods.stored(), setting.positions.stored(), setting.repeats.stored()},
            {{"seconds", {"method", "position", "repeat"}, seconds, "s", "time of one token"},
             {"state_bytes", {"method", "position"}, bytes, "B", "all that is remembered of the tokens before"},
             exact_variable(setting.methods)},
            measured_attributes()};
}

Sweep prepare(const config::Value& config) {
    std::vector<std::string> notes;
    std::vector<std::int64_t> positions = config.at("positions").integers();
    std::sort(positions.begin(), positions.end());
    Setting own{method_axis(methods(config, taken)),
                thread_axis(config, notes),
                whole_axis("position", positions, "tokens before those that are timed"),
                repeat_axis("repeat", config.at("repeats").integer(), "sequence"),
                {},
                whole(config, "columns"),
                whole(config, "timed"),
                study_stream(config, "cost/network-decoding")};
    own.shape.layers = whole(config, "layers");
    own.shape.heads = whole(config, "heads");
    own.shape.width = whole(config, "width");
    own.shape.inner = whole(config, "inner");
    own.shape.vocabulary = own.shape.outputs = 256;
    own.shape.positions = own.longest();
    if (own.shape.width % own.shape.heads != 0)
        config.at("width").refuse(fmt::format("{} is not a multiple of heads, {}", own.shape.width, own.shape.heads));
    for (const MethodChoice& method : own.methods) method.require_dimension(own.shape.width / own.shape.heads);
    for (std::size_t p = 1; p < positions.size(); ++p)
        if (positions[p] - positions[p - 1] < own.timed)
            config.at("positions")
                .refuse(
                    fmt::format("{} and {} are less than timed, {}, apart", positions[p - 1], positions[p], own.timed));
    Sweep sweep = Sweep::over(own.threads);
    sweep.notes = notes;
    sweep.alone = true;
    // A network for each method, its weights twice, and keys and values of softmax with room to grow.
    const auto parameters = static_cast<double>(networks::Transformer(own.shape).layout().size());
    sweep.bytes = static_cast<double>(own.methods.size()) * 3 * sizeof(float) * parameters +
                  4.0 * sizeof(float) * static_cast<double>(own.longest() * own.shape.layers * own.shape.width);
    sweep.attributes["decoded"] =
        fmt::format("a network of {} layers and {} heads, {} wide", own.shape.layers, own.shape.heads, own.shape.width);
    sweep.compute = [own](const Point& at) { return compute(own, at); };
    return sweep;
}

/// Figures and tables of decoding, under this study's name.
Report report_of_networks(const store::Dataset& data) {
    Report all = decoding_report(data);
    for (report::Figure& figure : all.figures) figure.name = "network-" + figure.name;
    for (report::Table& table : all.tables) table.name = "network-" + table.name;
    return all;
}

}  // namespace

Study network_decoding_study() {
    return {"cost",
            "network-decoding",
            "tokens a second and bytes of state of a network that generates token by token, against the position",
            "Chen et al. 2024, Figure 4",
            1,
            taken,
            keys,
            prepare,
            report_of_networks};
}

}  // namespace rfbench::experiments
