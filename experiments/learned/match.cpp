// Features trained to give the outputs of softmax attention on drawn heads, beside features that are not trained.
#include <fmt/format.h>

#include <cmath>

#include "learned/trained_parts.hpp"
#include "rfbench/training/matching.hpp"
#include "sources/heads.hpp"

namespace rfbench::experiments {
namespace {

using attention::Visible;
using training::HeadSequence;

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all = layer_keys();
    all.push_back(required("length", integer(1, 65536), "L, tokens of a sequence"));
    all.push_back(defaulted("scales", numbers(above(0).at_most(100)), "1",
                            "root mean square of the entries of queries and keys"));
    all.push_back(defaulted("decay", real(between(0, 4)), "1",
                            "coordinate l of queries and keys has a standard deviation that falls as l^-decay"));
    all.push_back(defaulted("training", integer(1, 65536), "64", "sequences to train on"));
    all.push_back(defaulted("held_out", integer(1, 65536), "32", "sequences that errors are measured on"));
    return all;
}

/// Heads whose queries and keys have a falling spectrum.
struct Heads {
    Index length, dimension;
    double decay;

    std::vector<HeadSequence> draw(std::int64_t count, double scale, const Stream& stream) const {
        Vector spread = Vector::LinSpaced(dimension, 1, static_cast<double>(dimension)).array().pow(-decay);
        spread *= scale * std::sqrt(static_cast<double>(dimension)) / spread.norm();
        std::vector<HeadSequence> all;
        for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(count); ++i) {
            const auto head = draw_head(length, dimension, 1, stream.child(i));
            all.push_back(
                {head.tokens.queries * spread.asDiagonal(), head.tokens.keys * spread.asDiagonal(), head.values});
        }
        return all;
    }
};

struct Setting {
    Layers layers;
    TrainedParts parts;
    training::Descent descent;
};

/// `stream`: of the method.
store::Dataset compute(const Setting& setting, const MethodChoice& method, const std::vector<HeadSequence>& training,
                       const std::vector<HeadSequence>& held_out, const Stream& stream) {
    const auto layer = setting.layers.layer(method, training[0].queries.rows(), stream.child("features"));
    const auto map = setting.layers.trained(method);
    Vector parameters = layer->start(stream.child("start"));
    const training::Mismatch before = mismatch(*layer, parameters, held_out, Visible::all);
    std::vector<double> losses;
    if (layer->trained() > 0) {
        auto descended = match_softmax(*layer, training, Visible::all, setting.descent, stream);
        losses = std::move(descended.losses);
        parameters = std::move(descended.parameters);
    }
    const training::Mismatch after = mismatch(*layer, parameters, held_out, Visible::all);
    store::Dataset data{
        {},
        {{"before", {}, {before.relative_error}, "", "|O^ - O| / |O| over sequences held out, before training"},
         {"error", {}, {after.relative_error}, "", "the same after training"},
         {"nonpositive", {}, {after.nonpositive}, "", "share of rows whose denominator is not positive"},
         {"columns", {}, {static_cast<double>(setting.layers.columns(method))}, "", "real feature columns"},
         {"trained", {}, {static_cast<double>(layer->trained())}, "", "parameters that are trained"}},
        {}};
    setting.parts.add(data, map, losses, parameters, {held_out[0].queries, held_out[0].keys});
    return data;
}

Sweep prepare(const config::Value& config) {
    const Layers layers(config);
    const Setting setting{layers, TrainedParts(layers, static_cast<int>(config.at("steps").integer())),
                          descent(config)};
    const Heads heads{whole(config, "length"), layers.dimension(), config.at("decay").number()};
    const auto scales = axis("scale", Key{config, "scales"}, "root mean square of the entries of queries and keys");
    auto compared = layers.axis();
    for (std::string& content : compared.contents) content += ", " + setting.parts.sizes();
    const auto repeats = repeat_axis("repeat", Key{config, "repeats"}, "data, features and beginnings");
    const std::int64_t training = config.at("training").integer(), held_out = config.at("held_out").integer();
    Sweep sweep = Sweep::over(scales, compared, repeats);
    sweep.attributes = layers.attributes();
    // Queries, keys and values of all sequences.
    sweep.bytes =
        3 * static_cast<double>((training + held_out) * whole(config, "length") * layers.dimension()) * sizeof(double);
    sweep.compute = [=, root = study_stream(config, "learned/match")](const Point& at) {
        // The sequences are the same for every method and, up to scale, for every scale.
        const Stream seed = root.child(at[repeats]);
        const MethodChoice& method = at[setting.layers.axis()];
        return compute(setting, method, heads.draw(training, at[scales], seed.child("training")),
                       heads.draw(held_out, at[scales], seed.child("held-out")),
                       seed.child("method").child(method.label));
    };
    return sweep;
}

report::Table table(const store::Dataset& data) {
    report::Table result{
        .name = "match",
        .caption =
            "Relative error of outputs, |O^ - O| / |O|, on sequences held out, mean over repeats ± half its 95 % "
            "interval; and the share of rows whose denominator is not positive.",
        .columns = {{"method", "", report::Alignment::left}, {"columns"}, {"trained parameters"}}};
    const auto& scales = report::numbers(data, "scale");
    for (const double scale : scales)
        for (const char* what : {"before", "error", "not positive"})
            result.columns.push_back(
                {fmt::format("{}, scale {}", what, scale),
                 "",
                 report::Alignment::right,
                 {what[0] == 'n' ? report::Format::Kind::percent : report::Format::Kind::significant,
                  what[0] == 'n' ? 2 : 3}});
    for (const std::string& method : report::words(data, "method")) {
        const auto first = [&](const char* variable) {
            return report::slice(data, variable, {{"method", method}, {"scale", scales[0]}, {"repeat", 0.0}}).values[0];
        };
        report::Row row{{method, first("columns"), first("trained")}};
        for (const double scale : scales)
            for (const char* variable : {"before", "error", "nonpositive"})
                row.entries.push_back(mean_over_repeats(data, variable, {{"method", method}, {"scale", scale}}));
        result.rows.push_back(std::move(row));
    }
    return result;
}

Report report_of(const store::Dataset& data) {
    Report result{{loss_figure(data, "scale", {})}, {table(data)}};
    result.figures[0].name = "match-loss";
    for (const double scale : report::numbers(data, "scale"))
        if (auto figure = channel_figure(data, fmt::format("match-channels-{}", scale),
                                         fmt::format("Channels trained to match softmax attention, scale {}", scale),
                                         {{"scale", scale}}))
            result.figures.push_back(std::move(*figure));
    return result;
}

}  // namespace

Study match_study() {
    return {"learned",
            "match",
            "features trained to give the outputs of softmax attention",
            "Shahbazi et al. 2025, sections 3.2 and 10.2",
            2,
            layer_methods,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
