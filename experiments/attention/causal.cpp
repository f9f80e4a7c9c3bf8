// Causal FAVOR++ (the open question 3 of Likhosherstov 2022): features fitted from what has been seen, from another
// sequence, or, as a reference that sees the future, from the whole sequence.
#include <fmt/format.h>

#include <algorithm>

#include "attention/heads.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/report/averaged.hpp"
#include "sources/heads.hpp"

namespace rfbench::experiments {
namespace {

using attention::Visible;

const MethodKey taken{
    .abilities = {Ability::causal},
    .keys = {config::defaulted("fit", config::one_of({"prefix", "previous", "whole"}), "prefix",
                               "what parameters are fitted to: the tokens before (renewed when their number has "
                               "doubled), another sequence, or the whole one, which sees the future")},
    .sampling = EntrySampling::drawn};

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all = head_keys();
    all.push_back(defaulted("first", integer(1, 1'000'000), "128", "tokens before the first fit to a prefix"));
    return all;
}

struct Setting {
    Axis<MethodChoice> methods;
    HeadList list;
    Axis<std::uint64_t> repeats;
    Axis<Index> columns;
    Index first;
    Stream seed;
};

/// The causal output through features that were fitted where the entry says.
Points attend(const MethodChoice& method, const HeadSequence& head, const HeadSequence& previous, Index columns,
              Index first, const Stream& stream) {
    const sampling::Scheme& scheme = method.scheme(sampling::find("orthogonal"));
    const std::string fit = method.entry.at("fit").text();
    const Points& queries = head.tokens.queries;
    Points out;
    // The method itself fits to prefixes as it goes; for the others there is one map, fitted beforehand.
    if (fit == "prefix") {
        method->outputs()
            ->attention({queries.rows(), queries.cols(), columns, first}, scheme, stream)
            ->attend(head.inputs(), Visible::causal, out);
        return out;
    }
    // The sequence before is of the same head and knows nothing of this one's future.
    const dof::Sequence& seen = fit == "previous" ? previous.tokens : head.tokens;
    const auto map = method->head_features()->features(seen.queries, seen.keys)(columns, scheme, stream);
    attention::linear<double>(*map, head.inputs(), Visible::causal, out);
    return out;
}

store::Dataset compute(const Setting& setting, const Point& at) {
    const PlacedHead& placed = at[setting.list.heads];
    const HeadSequence head = placed.sequence(at[setting.repeats]), previous = placed.previous(at[setting.repeats]);
    const Index columns = at[setting.columns];
    // Keyed by neither method nor fit: entries differ in what they were fitted to, and not in what was drawn.
    const Stream own = setting.seed.child(at[setting.repeats])
                           .child(static_cast<std::uint64_t>(placed.source->dimension()))
                           .child("features")
                           .child(static_cast<std::uint64_t>(columns));
    Points exact;
    attention::exact<double>(head.inputs(), Visible::causal, exact);
    const Points out = attend(at[setting.methods], head, previous, columns, setting.first, own);
    const double error = (out - exact).norm() / exact.norm();
    return {{}, {{"relative_output_error", {}, {error}, "", "|O^ - O| / |O|, Frobenius"}}, {}};
}

Sweep prepare(const config::Value& config) {
    const Stream seed = study_stream(config, "attention/causal");
    const Setting setting{method_axis(methods(config, taken)),
                          HeadList(config, dimension_first_streams(seed)),
                          repeat_axis("repeat", Key{config, "repeats"}, "sequence and draw of features"),
                          whole_axis("columns", Key{config, "columns"}, "real feature columns"),
                          whole(config, "first"),
                          seed};
    setting.list.require_dimensions(setting.methods.values);
    setting.list.require_one_sequence(config);
    for (const MethodChoice& method : setting.methods) {
        const std::string fit = method.entry.at("fit").text();
        if (fit != "prefix" && !method->head_features())
            method.entry.at("fit").refuse("'" + method.info->name + "' has no features that could be fitted");
        if (fit != "previous") continue;
        for (const auto& source : setting.list.sources)
            if (!source->has_previous())
                method.entry.at("fit").refuse("a source of 'heads' has one sequence, and none before it");
    }
    Sweep sweep = Sweep::over(setting.list.heads, setting.repeats, setting.methods, setting.columns);
    sweep.notes = setting.list.notes_of_repeats(setting.repeats.size());
    // Two heads, exact and estimated outputs.
    sweep.bytes = 8 * static_cast<double>(setting.list.widest() * setting.list.longest()) * sizeof(double);
    sweep.finite_but.emplace();
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

Report report_of(const store::Dataset& data) {
    report::Figure figure{
        .name = "causal",
        .title = "Causal attention: where parameters are fitted",
        .caption =
            "Relative error of the output, means over repeats. A fit to the whole sequence sees the future and is "
            "there as a reference.",
        .interval = "Bands: " + report::interval_words("repeats"),
        .columns = 2};
    report::Table table{.name = "causal",
                        .caption = "Relative error of the causal output, mean over repeats ± half its 95 % interval.",
                        .columns = {report::word_column("head"), {"columns"}}};
    for (const std::string& method : report::words(data, "method")) table.columns.push_back({method});
    const auto& columns = report::numbers(data, "columns");
    for (const std::string& head : report::words(data, "head")) {
        report::Panel panel{.title = head};
        panel.x = {.label = "real feature columns", .log = true};
        panel.y = {.label = "relative error", .log = true};
        std::vector<report::Row> rows;
        for (const double count : columns) rows.push_back({{head, count}});
        for (const std::string& method : report::words(data, "method")) {
            const auto errors =
                report::average(data, "relative_output_error", {{"head", head}, {"method", method}}, "repeat");
            for (std::size_t m = 0; m < columns.size(); ++m)
                rows[m].entries.push_back(report::averaged_entry(errors, m));
            panel.series.push_back(report::averaged_series(method, columns, errors, report::Style::line_points));
        }
        figure.panels.push_back(std::move(panel));
        for (const report::Row& row : rows) table.rows.push_back(row);
    }
    return {{figure}, {table}};
}

}  // namespace

Study causal_study() {
    return {"attention",
            "causal",
            "causal attention fitted to the prefix, a previous sequence or the whole sequence",
            "Likhosherstov 2022, chapter 7, question 3",
            1,
            taken,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
