#include "report/relative_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rfbench::experiments {
namespace {

/// y of a series at x; NaN where it has no such point.
double value_at(const report::Series& series, double x) {
    const auto found = std::find(series.x.begin(), series.x.end(), x);
    return found == series.x.end() ? std::numeric_limits<double>::quiet_NaN()
                                   : series.y[static_cast<std::size_t>(found - series.x.begin())];
}

const report::Series* curve_of(const report::Panel& panel, const std::string& method) {
    const auto found = std::find_if(panel.series.begin(), panel.series.end(),
                                    [&](const report::Series& series) { return series.label == method; });
    return found == panel.series.end() ? nullptr : &*found;
}

/// "normal" of the panel "normal, signed"; empty where the title has one part.
std::string data_of(const report::Panel& panel) {
    const std::size_t comma = panel.title.find(", ");
    return comma == std::string::npos ? "" : panel.title.substr(0, comma);
}

/// The curve in the panel itself or in another one of the same data; null where there is none.
const report::Series* reference_of(const report::Panel& panel, const std::vector<report::Panel>& all,
                                   const std::string& method) {
    if (const report::Series* own = curve_of(panel, method)) return own;
    for (const report::Panel& other : all)
        if (!data_of(panel).empty() && data_of(other) == data_of(panel))
            if (const report::Series* curve = curve_of(other, method)) return curve;
    return nullptr;
}

void draw_relative(report::Panel& panel, const report::Series& reference, const std::string& method) {
    for (report::Series& series : panel.series)
        for (std::size_t i = 0; i < series.x.size(); ++i) {
            const double base = value_at(reference, series.x[i]);
            const auto move = [&](double& value) { value = panel.y.log ? value / base : value - base; };
            move(series.y[i]);
            if (series.low.empty()) continue;
            move(series.low[i]);
            move(series.high[i]);
        }
    panel.y.label += fmt::format(" {} that of {}", panel.y.log ? "over" : "minus", method);
    panel.y.range.reset();
    panel.y.ticks.clear();
    panel.horizontal.clear();
    panel.annotations.clear();
}

}  // namespace

bool draw_relative(report::Figure& figure, const std::string& method) {
    bool any = false, intervals = false;
    const std::vector<report::Panel> before = figure.panels;
    for (report::Panel& panel : figure.panels) {
        const report::Series* reference = reference_of(panel, before, method);
        if (reference == nullptr) continue;
        draw_relative(panel, *reference, method);
        any = true;
        intervals = intervals || std::any_of(panel.series.begin(), panel.series.end(),
                                             [](const report::Series& series) { return !series.low.empty(); });
    }
    if (any) figure.caption += fmt::format(" Drawn relative to {}.", method);
    if (intervals) figure.interval += fmt::format("; they are of the curve alone, without the error of {}", method);
    return any;
}

}  // namespace rfbench::experiments
