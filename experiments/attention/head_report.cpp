#include "attention/head_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "choices.hpp"

namespace rfbench::experiments {

std::vector<PanelPlan> panel_plans(const store::Dataset& data) {
    constexpr std::size_t few = 8;
    const auto& samplings = report::words(data, "sampling");
    if (samplings.size() == 1 || samplings.size() * data.axis("mechanism").size() <= few) return {{"", samplings}};
    std::vector<PanelPlan> plans;
    for (const std::string& sampling : samplings) plans.push_back({", " + sampling, {sampling}});
    return plans;
}

std::string series_name(const PanelPlan& plan, const std::string& mechanism, const std::string& sampling) {
    return plan.samplings.size() == 1 ? mechanism : mechanism + ", " + sampling;
}

std::vector<std::string> series_names(const store::Dataset& data) {
    const auto plans = panel_plans(data);
    if (plans.front().samplings.size() == 1) return mechanism_names();
    std::vector<std::string> names;
    for (const std::string& mechanism : report::words(data, "mechanism"))
        for (const std::string& sampling : plans.front().samplings)
            names.push_back(series_name(plans.front(), mechanism, sampling));
    return names;
}

std::vector<report::Series> curves(const store::Dataset& data, const std::string& variable, const report::Fixed& fixed,
                                   const PanelPlan& plan, const Curve& curve) {
    std::vector<report::Series> result;
    for (const std::string& mechanism : report::words(data, "mechanism"))
        for (const std::string& sampling : plan.samplings) {
            report::Fixed own = fixed;
            own.emplace_back("mechanism", mechanism);
            own.emplace_back("sampling", sampling);
            const auto averages = report::average(data, variable, own, "sample");
            if (!averages.empty()) result.push_back(curve(series_name(plan, mechanism, sampling), averages));
        }
    return result;
}

std::vector<report::Panel> panels_of_heads(const store::Dataset& data, const std::string& variable,
                                           const report::Axis& y, const Curve& curve) {
    std::vector<report::Panel> panels;
    for (const double dimension : report::numbers(data, "dimension"))
        for (const double scale : report::numbers(data, "scale"))
            for (const PanelPlan& plan : panel_plans(data))
                panels.push_back(
                    {.title = fmt::format("d = {}, standard deviation {}{}", dimension, scale, plan.suffix),
                     .x = {.label = "real feature columns", .log = true},
                     .y = y,
                     .series = curves(data, variable, {{"dimension", dimension}, {"scale", scale}}, plan, curve)});
    return panels;
}

std::vector<report::Row> rows_of_mechanisms(const store::Dataset& data, const Entries& entries) {
    const auto missing = [](const report::Entry& entry) { return std::holds_alternative<report::Missing>(entry); };
    std::vector<report::Row> rows;
    for (const std::string& mechanism : report::words(data, "mechanism"))
        for (const std::string& sampling : report::words(data, "sampling")) {
            const std::vector<report::Entry> own = entries(mechanism, sampling);
            if (std::all_of(own.begin(), own.end(), missing)) continue;
            rows.push_back({{mechanism, sampling}});
            rows.back().entries.insert(rows.back().entries.end(), own.begin(), own.end());
        }
    return rows;
}

}  // namespace rfbench::experiments
