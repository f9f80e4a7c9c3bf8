#include "attention/head_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/shown.hpp"
#include "study/method_list.hpp"

namespace rfbench::experiments {

std::vector<PanelPlan> panel_plans(const store::Dataset& data) {
    constexpr std::size_t few = 8;
    std::vector<std::string> samplings = report::words(data, "sampling"), own;
    if (std::erase(samplings, own_sampling) > 0) own = {own_sampling};
    // More curves than a few in one panel cannot be told apart.
    const bool one_panel = samplings.size() <= 1 || samplings.size() * data.axis("method").size() <= few;
    std::vector<PanelPlan> plans;
    if (one_panel) plans.push_back({"", samplings});
    for (std::size_t i = 0; !one_panel && i < samplings.size(); ++i)
        plans.push_back({", " + samplings[i], {samplings[i]}});
    // Methods with a sampling of their own, or without draws, stand beside all others.
    for (PanelPlan& plan : plans) plan.samplings.insert(plan.samplings.end(), own.begin(), own.end());
    return plans;
}

std::string series_name(const PanelPlan& plan, const std::string& method, const std::string& sampling) {
    const auto others = std::count_if(plan.samplings.begin(), plan.samplings.end(),
                                      [](const std::string& one) { return one != own_sampling; });
    return others <= 1 || sampling == own_sampling ? method : method + ", " + sampling;
}

namespace {

/// Values of all samples.
report::Slice values(const store::Dataset& data, const std::string& variable, const report::Fixed& fixed,
                     const std::string& method, const std::string& sampling) {
    return report::slice(data, variable, Shown{method, {{"sampling", sampling}}}.fixed(fixed));
}

}  // namespace

Curve mean_curve(const std::vector<double>& x, report::Style style) {
    return [x, style](std::string name, const report::Slice& of) {
        return report::averaged_series(std::move(name), x, report::average(of, "repeat"), style);
    };
}

report::Entry mean_entry(const report::Slice& of) { return report::averaged_entry(report::average(of, "repeat")); }

std::vector<report::Series> curves(const store::Dataset& data, const std::string& variable, const report::Fixed& fixed,
                                   const PanelPlan& plan, const Curve& curve) {
    std::vector<report::Series> result;
    for (const std::string& method : report::words(data, "method"))
        for (const std::string& sampling : plan.samplings) {
            const auto of = values(data, variable, fixed, method, sampling);
            if (!report::all_missing(of.values)) result.push_back(curve(series_name(plan, method, sampling), of));
        }
    return result;
}

std::vector<report::Panel> panels_of_heads(const store::Dataset& data, const std::string& variable,
                                           const report::Axis& y, const Curve& curve) {
    std::vector<report::Panel> panels;
    for (const std::string& head : report::words(data, "head"))
        for (const PanelPlan& plan : panel_plans(data)) {
            // Before the panel: g++ 12 destroys parts of an aggregate twice where its initialization throws.
            std::vector<report::Series> series = curves(data, variable, {{"head", head}}, plan, curve);
            panels.push_back({.title = head + plan.suffix,
                              .x = {.label = "real feature columns", .log = true},
                              .y = y,
                              .series = std::move(series)});
        }
    return panels;
}

report::Table table_of_methods(const store::Dataset& data, const std::string& name, const std::string& caption,
                               const std::string& variable, const std::vector<PlacedColumn>& columns,
                               const SampledEntry& entry) {
    report::Table table{
        .name = name, .caption = caption, .columns = {report::word_column("method"), report::word_column("sampling")}};
    for (const PlacedColumn& one : columns) table.columns.push_back(one.column);
    for (const std::string& method : report::words(data, "method")) {
        const std::size_t before = table.rows.size();
        for (const std::string& sampling : report::words(data, "sampling")) {
            report::Row row{{method, sampling}};
            bool any = false;
            for (const PlacedColumn& one : columns) {
                const auto of = values(data, variable, one.at, method, sampling);
                any = any || !report::all_missing(of.values);
                row.entries.push_back(entry(of));
            }
            if (any) table.rows.push_back(row);
        }
        if (table.rows.size() == before) table.notes.push_back(fmt::format("'{}' has no value here.", method));
    }
    return table;
}

}  // namespace rfbench::experiments
