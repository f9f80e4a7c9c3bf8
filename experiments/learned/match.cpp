// Features trained to give the outputs of softmax attention on drawn heads, beside features that are not trained.
#include <fmt/format.h>

#include <cmath>

#include "attention/heads.hpp"
#include "learned/studies.hpp"
#include "learned/trained_parts.hpp"
#include "rfbench/learned/matching.hpp"

namespace rfbench::experiments {
namespace {

using attention::Visible;
using learned::HeadSequence;

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all = method_keys();
    all.push_back(required("length", integer(1, 65536), "L, tokens of a sequence"));
    all.push_back(defaulted("scales", numbers(above(0).at_most(100)), "1",
                            "root mean square of the entries of queries and keys"));
    all.push_back(defaulted("decay", real(between(0, 4)), "1",
                            "coordinate l of queries and keys has a standard deviation that falls as l^-decay"));
    all.push_back(defaulted("training", integer(1, 65536), "64", "sequences to train on"));
    all.push_back(defaulted("held_out", integer(1, 65536), "32", "sequences that errors are measured on"));
    return all;
}

struct Setting {
    std::vector<Method> methods;
    std::vector<double> scales;
    const sampling::Scheme* sampling;
    Index length, dimension;
    double decay;
    std::uint64_t training, held_out;
    optimisation::Descent descent;
    TrainedParts parts;
    Stream seed;

    std::vector<HeadSequence> sequences(std::uint64_t count, double scale, const Stream& stream) const {
        Vector spread = Vector::LinSpaced(dimension, 1, static_cast<double>(dimension)).array().pow(-decay);
        spread *= scale * std::sqrt(static_cast<double>(dimension)) / spread.norm();
        std::vector<HeadSequence> all;
        for (std::uint64_t i = 0; i < count; ++i) {
            const Head head = draw_head(length, dimension, 1, stream.child(i));
            all.push_back({head.queries * spread.asDiagonal(), head.keys * spread.asDiagonal(), head.values});
        }
        return all;
    }
};

store::Dataset compute(const Setting& setting, const engine::Cell& cell) {
    const double scale = setting.scales[cell.coordinates[0]];
    const Method& method = setting.methods[cell.coordinates[1]];
    // The sequences are the same for every method and, up to scale, for every scale.
    const Stream seed = setting.seed.child(cell.coordinates[2]);
    const auto training = setting.sequences(setting.training, scale, seed.child("training"));
    const auto held_out = setting.sequences(setting.held_out, scale, seed.child("held-out"));
    const Stream own = seed.child("method").child(method.label);
    const auto head = method.head(setting.dimension, *setting.sampling, own.child("features"));

    Vector parameters = head->start(own.child("start"));
    const learned::Mismatch before = mismatch(*head, parameters, held_out, Visible::all);
    std::vector<double> losses;
    if (method.trained()) {
        auto descended = match_softmax(*head, training, Visible::all, setting.descent, own);
        losses = std::move(descended.losses);
        parameters = std::move(descended.parameters);
    }
    const learned::Mismatch after = mismatch(*head, parameters, held_out, Visible::all);
    store::Dataset data{
        {},
        {{"before", {}, {before.relative_error}, "", "|O^ - O| / |O| over sequences held out, before training"},
         {"error", {}, {after.relative_error}, "", "the same after training"},
         {"nonpositive", {}, {after.nonpositive}, "", "share of rows whose denominator is not positive"},
         {"columns", {}, {static_cast<double>(method.columns)}, "", "real feature columns"},
         {"trained", {}, {static_cast<double>(head->trained())}, "", "parameters that are trained"}},
        {}};
    setting.parts.add(data, method, losses, parameters, {held_out[0].queries, held_out[0].keys});
    return data;
}

Sweep prepare(const config::Value& config) {
    const auto integer = [&](const char* key) { return config.at(key).integer(); };
    const std::vector<Method> all = methods(config);
    const Setting setting{
        all,
        config.at("scales").numbers(),
        &sampling::find(config.at("sampling").text()),
        static_cast<Index>(integer("length")),
        static_cast<Index>(integer("dimension")),
        config.at("decay").number(),
        static_cast<std::uint64_t>(integer("training")),
        static_cast<std::uint64_t>(integer("held_out")),
        descent(config),
        TrainedParts(all, static_cast<Index>(integer("dimension")), static_cast<int>(integer("steps"))),
        Stream(static_cast<std::uint64_t>(integer("seed"))).child("learned/match")};
    std::vector<double> samples;
    for (std::int64_t i = 0; i < integer("samples"); ++i) samples.push_back(static_cast<double>(i));
    Sweep sweep;
    sweep.axes = {{"scale", setting.scales, "", "root mean square of the entries of queries and keys"},
                  method_axis(setting.methods),
                  {"sample", samples, "", "data, features and beginnings"}};
    sweep.cells = product_cells(sweep.axes);
    // Queries, keys and values of all sequences.
    sweep.bytes = 3 * static_cast<double>(setting.training + setting.held_out) * static_cast<double>(setting.length) *
                  static_cast<double>(setting.dimension) * sizeof(double);
    sweep.compute = [setting](const engine::Cell& cell) { return compute(setting, cell); };
    return sweep;
}

report::Table table(const store::Dataset& data) {
    report::Table result{
        .name = "match",
        .caption =
            "Relative error of outputs, |O^ - O| / |O|, on sequences held out, mean over samples ± half its 95 % "
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
            return report::slice(data, variable, {{"method", method}, {"scale", scales[0]}, {"sample", 0.0}}).values[0];
        };
        report::Row row{{method, first("columns"), first("trained")}};
        for (const double scale : scales)
            for (const char* variable : {"before", "error", "nonpositive"})
                row.entries.push_back(mean_over_samples(data, variable, {{"method", method}, {"scale", scale}}));
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
            1,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
