#include "rfbench/report/panel_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rfbench::report {

namespace {

constexpr double margin_x = 0.02, margin_y = 0.05;  // of the axis, left free on both sides

bool shown(const Axis& axis, double value) { return std::isfinite(value) && !(axis.log && value <= 0); }

struct Extent {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void reach(const Axis& axis, double value) {
        if (!shown(axis, value)) return;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    bool empty() const { return low > high; }
};

// Ends with eight digits, so that the script can be read.
Interval tidy(double low, double high) {
    const Interval ends{std::stod(fmt::format("{:.8g}", low)), std::stod(fmt::format("{:.8g}", high))};
    return ends.first < ends.second ? ends : Interval{low, high};
}

Interval widened(const Axis& axis, const Extent& extent, double margin) {
    if (axis.range) return *axis.range;
    if (extent.empty()) return axis.log ? Interval{0.1, 10.0} : Interval{0.0, 1.0};
    if (axis.log) {
        const double span = std::log10(extent.high) - std::log10(extent.low);
        const double factor = std::pow(10.0, span > 0 ? margin * span : 0.5);
        const double low = extent.low / factor, high = extent.high * factor;
        return low > 0 && std::isfinite(high) ? tidy(low, high) : Interval{extent.low, extent.high};
    }
    const double span = extent.high - extent.low;
    const double unit = std::max(std::abs(extent.low), std::abs(extent.high));
    const bool flat = span <= 1e-12 * unit || unit == 0;
    const double spare = flat ? (unit > 0 ? 0.1 * unit : 1.0) : margin * span;
    const double low = extent.low - spare, high = extent.high + spare;
    return std::isfinite(high - low) ? tidy(low, high) : Interval{extent.low / 4, extent.high / 4};
}

bool evenly_spaced(const std::vector<double>& nodes) {
    const double step = (nodes.back() - nodes.front()) / static_cast<double>(nodes.size() - 1);
    for (std::size_t i = 1; i < nodes.size(); ++i) {
        if (std::abs(nodes[i] - nodes[i - 1] - step) > 1e-6 * step) return false;
    }
    return true;
}

// A pixel reaches half a step beyond its node.
Interval ends(const std::vector<double>& nodes, bool pixels) {
    const double step = (nodes.back() - nodes.front()) / static_cast<double>(nodes.size() - 1);
    return pixels ? tidy(nodes.front() - step / 2, nodes.back() + step / 2) : Interval{nodes.front(), nodes.back()};
}

PanelView view_of_map(const Panel& panel) {
    const HeatMap& map = *panel.map;
    PanelView result{};
    result.x = panel.x.range.value_or(ends(map.x, is_drawn_in_pixels(panel)));
    result.y = panel.y.range.value_or(ends(map.y, is_drawn_in_pixels(panel)));
    const auto infinite = std::count_if(map.z.begin(), map.z.end(), [](double z) { return std::isinf(z); });
    const auto finite = std::count_if(map.z.begin(), map.z.end(), [](double z) { return std::isfinite(z); });
    if (finite == 0) result.notes.push_back("no values");
    if (infinite > 0) result.notes.push_back(fmt::format("{} infinite values not drawn", infinite));
    return result;
}

// Sentences for what the reader does not see.
void note_missing(const Panel& panel, PanelView& result) {
    std::size_t infinite = 0, not_positive = 0;
    for (std::size_t s = 0; s < panel.series.size(); ++s) {
        const Series& series = panel.series[s];
        if (!result.drawn[s]) result.notes.push_back(series.label + ": no values");
        for (std::size_t i = 0; i < series.x.size(); ++i) {
            const double x = series.x[i], y = series.y[i];
            if (std::isnan(x) || std::isnan(y) || drawable(panel, series, i)) continue;
            ++(std::isinf(x) || std::isinf(y) ? infinite : not_positive);
        }
    }
    const auto values = [](std::size_t n) { return n == 1 ? "value" : "values"; };
    if (not_positive > 0) {
        result.notes.push_back(fmt::format("{} {} ≤ 0 not drawn on the log axis", not_positive, values(not_positive)));
    }
    if (infinite > 0) result.notes.push_back(fmt::format("{} infinite {} not drawn", infinite, values(infinite)));
}

}  // namespace

bool drawable(const Panel& panel, const Series& series, std::size_t i) {
    return shown(panel.x, series.x[i]) && shown(panel.y, series.y[i]);
}

bool is_drawn_in_pixels(const Panel& panel) {
    return panel.map && !panel.x.log && !panel.y.log && evenly_spaced(panel.map->x) && evenly_spaced(panel.map->y);
}

bool has_lone_point(const Panel& panel, const Series& series) {
    const auto there = [&](std::size_t i) { return i < series.x.size() && drawable(panel, series, i); };
    for (std::size_t i = 0; i < series.x.size(); ++i) {
        if (there(i) && !there(i + 1) && (i == 0 || !there(i - 1))) return true;
    }
    return false;
}

PanelView view(const Panel& panel) {
    if (panel.map) return view_of_map(panel);
    PanelView result{};
    Extent x, y;
    for (const Series& series : panel.series) {
        bool drawn = false;
        for (std::size_t i = 0; i < series.x.size(); ++i) {
            if (!drawable(panel, series, i)) continue;
            drawn = true;
            x.reach(panel.x, series.x[i]);
            y.reach(panel.y, series.y[i]);
            if (!series.low.empty()) y.reach(panel.y, series.low[i]);
            if (!series.high.empty()) y.reach(panel.y, series.high[i]);
        }
        result.drawn.push_back(drawn);
    }
    for (const ReferenceLine& line : panel.horizontal) y.reach(panel.y, line.at);
    for (const ReferenceLine& line : panel.vertical) x.reach(panel.x, line.at);
    result.x = widened(panel.x, x, margin_x);
    result.y = widened(panel.y, y, margin_y);
    note_missing(panel, result);
    return result;
}

}  // namespace rfbench::report
