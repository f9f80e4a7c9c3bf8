#include "dof/error_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rfbench/report/averaged.hpp"
#include "rfbench/report/best_mark.hpp"

namespace rfbench::experiments {
namespace {

/// The mean over layers and heads, with the interval over draws.
report::Entry over_heads(const store::Dataset& data, const char* variable, const std::string& allocation,
                         const std::string& method) {
    // Heads are no sample of anything: only draws, the last axis that is averaged over, give an interval.
    auto of = report::slice(data, variable, {{"allocation", allocation}, {"method", method}});
    const auto over_layers = report::average(of, "layer");
    const auto over_both = report::average({over_layers.axes, over_layers.mean, {}}, "head");
    return report::averaged_entry(report::average({over_both.axes, over_both.mean, {}}, "repeat"));
}

std::vector<std::string> allocations(const store::Dataset& data, bool given = false) {
    if (given) return {as_given};
    std::vector<std::string> all = report::words(data, "allocation");
    std::erase(all, as_given);
    return all;
}

/// Those that the cost is allocated to, or the maps that are given: what was measured there.
std::vector<std::string> methods(const store::Dataset& data, bool given) {
    std::vector<std::string> all = report::words(data, "method");
    std::erase_if(all, [&](const std::string& one) {
        const auto of =
            report::slice(data, "features", {{"allocation", allocations(data, given).front()}, {"method", one}});
        return std::all_of(of.values.begin(), of.values.end(), [](double value) { return std::isnan(value); });
    });
    return all;
}

report::Table table(const store::Dataset& data, const char* name, const char* variable, const char* what) {
    report::Table result{
        .name = std::string("error-") + name,
        .caption = fmt::format("{}, mean over layers and heads ± half its 95 % interval over draws.", what),
        .columns = {{"method", "", report::Alignment::left}}};
    for (const std::string& allocation : allocations(data)) result.columns.push_back({allocation});
    for (const std::string& method : methods(data, false)) {
        report::Row row{{method}};
        for (const std::string& allocation : allocations(data))
            row.entries.push_back(over_heads(data, variable, allocation, method));
        result.rows.push_back(row);
    }
    report::mark_best(result, report::Best::least, report::columns_from(result, 1));
    // An allocation gives all methods as many: one of them stands for all.
    report::Row cost{{std::string("features a head")}, true};
    for (const std::string& allocation : allocations(data))
        cost.entries.emplace_back(
            std::get<report::Estimate>(over_heads(data, "features", allocation, methods(data, false).front())).value);
    result.rows.push_back(cost);
    return result;
}

report::Table given_table(const store::Dataset& data) {
    report::Table result{
        .name = "error-given",
        .caption =
            "Maps that are given, at their own cost, mean over layers and heads ± half its 95 % interval over draws, "
            "where there are any. A map that is no estimate of the kernel has no error of the kernel.",
        .columns = {report::word_column("map"), {"real columns"}, {"output"}, {"kernel"}, {"divergence"}}};
    for (const std::string& map : methods(data, true)) {
        const auto of = [&](const char* variable) { return over_heads(data, variable, as_given, map); };
        result.rows.push_back(
            {{map, of("features"), of("relative_output_error"), of("relative_kernel_error"), of("divergence")}});
    }
    return result;
}

/// Layer by layer: each method, a panel for each allocation, and what is given.
report::Figure figure(const store::Dataset& data) {
    report::Figure result{.name = "error",
                          .title = "Error of the output, layer by layer",
                          .caption = "Means over heads and draws of features, test sequences.",
                          .interval = "Bars: " + report::interval_words("draws"),
                          .columns = 2};
    for (const std::string& allocation : report::words(data, "allocation")) {
        report::Panel panel{.title = allocation};
        panel.x = {.label = "layer"};
        panel.y = {.label = "relative error of the output", .log = true};
        for (const std::string& method : methods(data, allocation == as_given)) {
            // Layers stand along the figure: heads are averaged first, then draws, which give the interval.
            const auto over_heads = report::average(
                report::slice(data, "relative_output_error", {{"allocation", allocation}, {"method", method}}), "head");
            const auto all = report::average({over_heads.axes, over_heads.mean, {}}, "repeat");
            panel.series.push_back(
                report::averaged_series(method, report::numbers(data, "layer"), all, report::Style::line_points));
            panel.series.back().spread = report::Spread::bars;
        }
        result.panels.push_back(std::move(panel));
    }
    return result;
}

}  // namespace

Report freedom_error_report(const store::Dataset& data) {
    Report result{{figure(data)}, {}};
    if (!methods(data, false).empty())
        result.tables = {
            table(data, "output", "relative_output_error",
                  "Relative error of the output of causal attention, |O^ - O| / |O|"),
            table(data, "kernel", "relative_kernel_error", "Relative error of the kernel, |K^ - K| / |K|"),
            table(data, "divergence", "divergence", "Divergence of attention weights from those of softmax attention")};
    if (report::has_word(data, "allocation", as_given)) result.tables.push_back(given_table(data));
    return result;
}

}  // namespace rfbench::experiments
