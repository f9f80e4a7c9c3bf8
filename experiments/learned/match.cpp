// Features trained to give the outputs of softmax attention, beside features that are not trained: on heads that are
// drawn here, or on those of any source.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "learned/trained_parts.hpp"
#include "report/best_report.hpp"
#include "rfbench/report/file_name.hpp"
#include "rfbench/training/matching.hpp"
#include "sources/heads.hpp"

namespace rfbench::experiments {
namespace {

using attention::Visible;
using training::HeadSequence;

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all = layer_keys();
    all.push_back(optional("heads", one_or_more(head_source_schema()),
                           "sources of heads, in place of those drawn by length, scales and decay"));
    all.push_back(optional("length", integer(1, 65536), "L, tokens of a sequence"));
    all.push_back(optional("scales", numbers(above(0).at_most(100)),
                           "root mean square of the entries of queries and keys, 1 unless given"));
    all.push_back(
        optional("decay", real(between(0, 4)),
                 "coordinate l of queries and keys has a standard deviation that falls as l^-decay, decay = 1 "
                 "unless given"));
    all.push_back(defaulted("training", integer(1, 65536), "64", "sequences to train on"));
    all.push_back(defaulted("held_out", integer(1, 65536), "32", "sequences that errors are measured on"));
    return all;
}

/// Heads whose queries and keys have a falling spectrum.
struct DrawnHeads {
    Index length, dimension;
    double decay;

    std::vector<HeadSequence> draw(std::int64_t count, double scale, const Stream& stream) const {
        // Divided by its norm, so that entries have the root mean square `scale` whatever the decay is.
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

/// So many sequences of a head, from one on; after the last comes the first.
std::vector<HeadSequence> sequences(const PlacedHead& head, std::uint64_t first, std::int64_t count) {
    std::vector<HeadSequence> all;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(count); ++i) {
        auto one = head.sequence(first + i);
        all.push_back({std::move(one.tokens.queries), std::move(one.tokens.keys), std::move(one.values)});
    }
    return all;
}

struct Setting {
    Layers layers;
    TrainedParts parts;
    training::Descent descent;
    Axis<MethodChoice> compared;
    Axis<std::uint64_t> repeats;
    std::int64_t training, held_out;
    Stream root;

    explicit Setting(const config::Value& config)
        : layers(config),
          parts(layers, static_cast<int>(config.at("steps").integer())),
          descent(experiments::descent(config)),
          compared(layers.axis()),
          repeats(repeat_axis("repeat", Key{config, "repeats"}, "data, features and beginnings")),
          training(config.at("training").integer()),
          held_out(config.at("held_out").integer()),
          root(study_stream(config, "learned/match")) {
        // As in learned/classify: arrays are padded to those of the largest method.
        for (std::string& content : compared.contents) content += ", " + parts.sizes();
    }

    /// Bytes of queries, keys and values of all sequences.
    double bytes(Index length) const {
        return 3 * static_cast<double>((training + held_out) * length * layers.dimension()) * sizeof(double);
    }
};

/// `seed`: of the repeat, the same for all methods, which begin alike and see the same data in the same order.
store::Dataset compute(const Setting& setting, const MethodChoice& method, const std::vector<HeadSequence>& training,
                       const std::vector<HeadSequence>& held_out, const Stream& seed) {
    const auto layer =
        setting.layers.layer(method, training[0].keys.rows(), seed.child("features").child(method.label));
    const auto map = setting.layers.trained(method);
    const Stream descent = seed.child("descent");
    Vector parameters = layer->start(descent.child("start"));
    const training::Mismatch before = mismatch(*layer, parameters, held_out, Visible::all);
    std::vector<double> losses;
    // A map without parameters is measured as it is drawn, and its errors before and after are the same.
    if (layer->trained() > 0) {
        auto descended = match_softmax(*layer, training, Visible::all, setting.descent, descent);
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

/// Arrays are padded to those of the method that has most.
const std::vector<std::string> not_of_all{"channel_value", "head_parameters", "input", "input_density", "loss"};

/// Drawn anew for every repeat: the same for every method and, up to scale, for every scale.
Sweep over_drawn_heads(const config::Value& config, const Setting& setting) {
    const DrawnHeads heads{whole(config, "length"), setting.layers.dimension(),
                           config.has("decay") ? config.at("decay").number() : 1};
    const char* const what = "root mean square of the entries of queries and keys";
    auto scales =
        config.has("scales") ? axis("scale", Key{config, "scales"}, what) : axis("scale", std::vector<double>{1}, what);
    scales.keys = {"scales"};
    Sweep sweep = Sweep::over(scales, setting.compared, setting.repeats);
    sweep.bytes = setting.bytes(heads.length);
    sweep.finite_but = not_of_all;
    sweep.compute = [=](const Point& at) {
        const Stream seed = setting.root.child(at[setting.repeats]);
        const MethodChoice& method = at[setting.layers.axis()];
        return compute(setting, method, heads.draw(setting.training, at[scales], seed.child("training")),
                       heads.draw(setting.held_out, at[scales], seed.child("held-out")), seed);
    };
    return sweep;
}

/// Each repeat takes the sequences after those of the one before, first those to train on.
Sweep over_sources(const config::Value& config, const Setting& setting) {
    const HeadList list(config, head_streams(setting.root.child("heads")));
    list.require_crossing(setting.compared.values);
    const Index needed = static_cast<Index>(setting.training + setting.held_out);
    for (const PlacedHead& head : list.heads) {
        if (head.source->dimension() != setting.layers.dimension())
            config.at("heads").refuse(fmt::format("there are heads with d = {}, but 'dimension' is {}; say the same",
                                                  head.source->dimension(), setting.layers.dimension()));
        if (head.source->sequences() < needed)
            config.at("heads").refuse(
                fmt::format("a source has {} sequences, but 'training' and 'held_out' are {} together; say fewer",
                            head.source->sequences(), needed));
    }
    Sweep sweep = Sweep::over(list.heads, setting.compared, setting.repeats);
    sweep.notes = list.notes_of_repeats(setting.repeats.size() * static_cast<std::size_t>(needed));
    sweep.bytes = setting.bytes(list.longest());
    sweep.finite_but = not_of_all;
    sweep.compute = [=](const Point& at) {
        // If a source has too few sequences for all repeats they come round again, but never within one repeat.
        const std::uint64_t first = at[setting.repeats] * static_cast<std::uint64_t>(needed);
        return compute(
            setting, at[setting.layers.axis()], sequences(at[list.heads], first, setting.training),
            sequences(at[list.heads], first + static_cast<std::uint64_t>(setting.training), setting.held_out),
            setting.root.child(at[setting.repeats]));
    };
    return sweep;
}

Sweep prepare(const config::Value& config) {
    const Setting setting(config);
    const bool sources = config.has("heads");
    for (const char* key : {"length", "scales", "decay"})
        if (sources && config.has(key))
            config.at(key).refuse(
                fmt::format("'{}' is of heads that are drawn here; sources under 'heads' have their "
                            "own keys",
                            key));
    if (!sources && !config.has("length")) config.refuse("'length', or sources of heads under 'heads', is missing");
    Sweep sweep = sources ? over_sources(config, setting) : over_drawn_heads(config, setting);
    sweep.attributes = setting.layers.attributes();
    return sweep;
}

/// Labels of what a result has beside methods: scales of drawn heads, or heads of sources.
struct Places {
    std::string axis;
    std::vector<report::Fixed> fixed;
    std::vector<std::string> titles, names;  ///< in tables; of files

    explicit Places(const store::Dataset& data) {
        const auto is_head = [](const store::Axis& one) { return one.name == "head"; };
        axis = std::any_of(data.axes.begin(), data.axes.end(), is_head) ? "head" : "scale";
        if (axis == "head") {
            for (const std::string& head : report::words(data, axis)) add(head, head, head);
        } else {
            for (const double scale : report::numbers(data, axis))
                add(scale, fmt::format("scale {}", scale), fmt::format("{}", scale));
        }
    }

private:
    void add(const report::Label& label, const std::string& title, const std::string& name) {
        fixed.push_back({{axis, label}});
        titles.push_back(title);
        names.push_back(report::as_file_name(name));
    }
};

report::Table table(const store::Dataset& data) {
    report::Table result{
        .name = "match",
        .caption =
            "Relative error of outputs, |O^ - O| / |O|, on sequences held out, mean over repeats ± half its 95 % "
            "interval; and the share of rows whose denominator is not positive.",
        .columns = {{"method", "", report::Alignment::left}, {"columns"}, {"trained parameters"}}};
    const Places places(data);
    for (const std::string& title : places.titles)
        // The last is a share, and shown as one.
        for (const char* what : {"before", "error", "not positive"})
            result.columns.push_back(
                {fmt::format("{}, {}", what, title),
                 "",
                 report::Alignment::right,
                 {what[0] == 'n' ? report::Format::Kind::percent : report::Format::Kind::significant,
                  what[0] == 'n' ? 2 : 3}});
    for (const std::string& method : report::words(data, "method")) {
        // Sizes are the same at all places and in all repeats: the first has them.
        const auto first = [&](const char* variable) {
            report::Fixed fixed = places.fixed[0];
            fixed.insert(fixed.end(), {{"method", method}, {"repeat", 0.0}});
            return report::slice(data, variable, fixed).values[0];
        };
        report::Row row{{method, columns_entry(first("columns")), first("trained")}};
        for (report::Fixed fixed : places.fixed) {
            fixed.emplace_back("method", method);
            for (const char* variable : {"before", "error", "nonpositive"})
                row.entries.push_back(mean_over_repeats(data, variable, fixed));
        }
        result.rows.push_back(std::move(row));
    }
    std::vector<std::string> errors;
    for (const std::string& title : places.titles) errors.push_back("error, " + title);
    report::mark_best(result, report::Best::least, report::columns_called(result, errors), exact_labels(data));
    return result;
}

Report report_of(const store::Dataset& data) {
    const Places places(data);
    Report result{{loss_figure(data, places.axis, {})}, {table(data)}};
    result.figures[0].name = "match-loss";
    for (std::size_t i = 0; i < places.fixed.size(); ++i)
        if (auto figure =
                channel_figure(data, "match-channels-" + places.names[i],
                               "Channels trained to match softmax attention, " + places.titles[i], places.fixed[i]))
            result.figures.push_back(std::move(*figure));
    return result;
}

}  // namespace

Study match_study() {
    return {"learned",
            "match",
            "features trained to match the outputs of softmax attention",
            "Shahbazi et al. 2025, sections 3.2 and 10.2",
            2,
            layer_methods,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
