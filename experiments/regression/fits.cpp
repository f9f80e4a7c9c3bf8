#include "regression/fits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "rfbench/report/slice.hpp"
#include "rfbench/statistics/running_moments.hpp"

namespace rfbench::experiments {
namespace {

bool is_measured(const store::Dataset& data, const char* variable, const Shown& fit) {
    return !report::all_missing(report::slice(data, variable, fit.fixed()).values);
}

}  // namespace

std::vector<double> tuned(const store::Dataset& data, const Choice& choice, const std::string& set, const Shown& fit) {
    const std::vector<std::string> order{"split", "gamma", choice.penalty};
    const auto least = report::slice(data, choice.least, fit.fixed({{"dataset", set}}), order);
    const auto shown = report::slice(data, choice.shown, fit.fixed({{"dataset", set}}), order);
    const std::vector<double>&gammas = least.numbers("gamma"), &penalties = least.numbers(choice.penalty);
    const std::size_t choices = gammas.size() * penalties.size();
    // The least gamma goes first among equals, then the least penalty, in whatever order they stand.
    const auto rank = [&](std::size_t i) {
        return std::tuple(least.values[i], gammas[i % choices / penalties.size()], penalties[i % penalties.size()]);
    };
    std::vector<double> result;
    for (std::size_t split = 0; split < splits(data); ++split) {
        std::size_t best = least.values.size();
        for (std::size_t i = split * choices; i < (split + 1) * choices; ++i)
            // Single choices are NaN where no draw could be solved; they are passed over.
            if (!std::isnan(least.values[i]) && (best == least.values.size() || rank(i) < rank(best))) best = i;
        if (best == least.values.size()) return {};
        result.push_back(shown.values[best]);
    }
    return result;
}

std::vector<Shown> fits(const store::Dataset& data, const std::vector<const char*>& variables) {
    std::vector<Shown> all = all_shown(data, {"sampling", "columns"});
    std::erase_if(all, [&](const Shown& fit) {
        return std::none_of(variables.begin(), variables.end(),
                            [&](const char* variable) { return is_measured(data, variable, fit); });
    });
    return all;
}

report::Row row(const store::Dataset& data, const Shown& fit) {
    if (is_reference(data, fit.method)) return {{fit.method, report::Missing{}}};
    return {{sampled_name(data, fit), fit.number("columns")}};
}

std::vector<std::string> references(const store::Dataset& data) {
    std::vector<std::string> names = words(data, "method");
    std::erase_if(names, [&](const std::string& name) { return !is_reference(data, name); });
    return names;
}

report::Table table_of(const store::Dataset& data, std::string name, std::string caption,
                       const std::vector<std::string>& sets, report::Format format) {
    report::Table table{.name = std::move(name),
                        .caption = std::move(caption),
                        .columns = {report::word_column("features"), {"real columns"}},
                        .notes = {interval_note(data)}};
    for (const std::string& set : sets) table.columns.push_back(report::number_column(set, format));
    return table;
}

namespace {

/// The largest share of rows that are asked and not held; 0 in a file from before they were counted.
double most_lost_queries(const store::Dataset& data) {
    if (!data.has_variable("lost_queries")) return 0;
    double most = 0;
    for (const double share : data.variable("lost_queries").values)
        if (share > most) most = share;
    return most;
}

}  // namespace

report::Table lost_table(const store::Dataset& data, std::string name, const std::vector<Shown>& all) {
    report::Table table{.name = std::move(name),
                        .caption =
                            "Training rows in % whose features double cannot hold, by γ: they count as zero. A "
                            "penalty needs each row's own factor, so none is dropped.",
                        .columns = {report::word_column("features"), {"real columns"}}};
    const std::vector<double>& gammas = report::numbers(data, "gamma");
    for (const double gamma : gammas)
        table.columns.push_back(report::number_column(fmt::format("γ = {:.3g}", gamma), one_digit));
    for (const Shown& fit : all) {
        if (is_reference(data, fit.method)) continue;
        report::Row own = row(data, fit);
        std::vector<statistics::RunningMoments> shares(gammas.size());
        for (const std::string& set : words(data, "dataset")) {
            const auto lost = report::slice(data, "lost", fit.fixed({{"dataset", set}}), {"split", "gamma"});
            // Gammas come in turn, split after split.
            for (std::size_t i = 0; i < lost.values.size(); ++i) shares[i % gammas.size()].add(100 * lost.values[i]);
        }
        for (const auto& share : shares) own.entries.emplace_back(share.mean());
        table.rows.push_back(own);
    }
    if (const double most = most_lost_queries(data); most > 0)
        table.notes.push_back(fmt::format(
            "Rows of validation and test are lost, too, up to {:.3g} % of them at one γ: what is predicted for them is "
            "that for features of zero.",
            100 * most));
    return table;
}

std::vector<report::Panel> growth(const store::Dataset& data, const Choice& choice, const report::Axis& y) {
    return panels_of_sets(
        data, {.label = "real columns", .log = true}, y,
        [&](const std::string& set, const std::string& method) -> std::optional<report::Series> {
            report::Series series{.label = method, .x = counts(data), .y = {}, .style = report::Style::line_points};
            for (const double columns : counts(data))
                series.y.push_back(
                    100 * mean(tuned(data, choice, set, placed(data, method, samplings(data).back(), columns))));
            // Numbers to be predicted have no share of rows.
            if (report::all_missing(series.y)) return std::nullopt;
            return series;
        });
}

}  // namespace rfbench::experiments
