#include "rfbench/report/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "rfbench/report/file_name.hpp"
#include "rfbench/report/repeated_name.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::report {

namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& sentence) {
    throw std::invalid_argument(where + ": " + sentence);
}

void check_axis(const Axis& axis, const std::string& where) {
    if (axis.range) {
        const auto [low, high] = *axis.range;
        if (!std::isfinite(low) || !std::isfinite(high) || !(low < high)) {
            refuse(where, fmt::format("its range must be finite and ascend, not [{}, {}].", low, high));
        }
        if (axis.log && low <= 0) {
            refuse(where,
                   fmt::format("its range [{}, {}] must be positive, since the axis is logarithmic.", low, high));
        }
    }
    for (const Tick& tick : axis.ticks) {
        if (!std::isfinite(tick.at) || (axis.log && tick.at <= 0)) {
            refuse(where,
                   fmt::format("a tick at {} cannot be shown on {} axis.", tick.at, axis.log ? "a logarithmic" : "an"));
        }
    }
}

void check_series(const Series& series, const std::string& where) {
    if (series.label.empty()) refuse(where, "a series has no label; its rows of the CSV file could not be told apart.");
    if (series.label.find_first_of("\r\n") != std::string::npos) refuse(where, "a label may not hold a line break.");
    if (series.x.empty()) refuse(where, "it has no points. Leave it out, or give NaN where nothing was measured.");
    if (series.y.size() != series.x.size()) {
        refuse(where, fmt::format("it has {} x but {} y.", series.x.size(), series.y.size()));
    }
    if (series.low.size() != series.high.size() || (!series.low.empty() && series.low.size() != series.x.size())) {
        refuse(where, fmt::format("its {} points have {} low and {} high ends of intervals; give all or none.",
                                  series.x.size(), series.low.size(), series.high.size()));
    }
    for (std::size_t i = 0; i < series.low.size(); ++i) {
        // False for NaN: an end that nobody knows is in order.
        if (series.low[i] > series.high[i]) {
            refuse(where, fmt::format("the interval at x = {} has low {} above high {}.", series.x[i], series.low[i],
                                      series.high[i]));
        }
    }
}

void check_ascending(const std::vector<double>& nodes, const char* name, const std::string& where) {
    if (nodes.size() < 2) refuse(where, fmt::format("a map needs two {} at least, not {}.", name, nodes.size()));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const bool in_order = std::isfinite(nodes[i]) && (i == 0 || nodes[i - 1] < nodes[i]);
        if (!in_order)
            refuse(where, fmt::format("its {} must be finite and ascend, unlike {} at place {}.", name, nodes[i], i));
    }
}

void check_map(const Panel& panel, const std::string& where) {
    const HeatMap& map = *panel.map;
    check_ascending(map.x, "x", where);
    check_ascending(map.y, "y", where);
    if (map.z.size() != map.x.size() * map.y.size()) {
        refuse(where, fmt::format("its map of {} x {} nodes has {} values.", map.x.size(), map.y.size(), map.z.size()));
    }
    // Nodes ascend, so that the first is the least.
    if ((panel.x.log && map.x.front() <= 0) || (panel.y.log && map.y.front() <= 0)) {
        refuse(where, "its map has nodes <= 0 on a logarithmic axis.");
    }
    if (map.range && !(map.range->first < map.range->second)) refuse(where, "the range of its colours must ascend.");
    for (const double level : map.contours) {
        if (!std::isfinite(level)) refuse(where, "the levels of its contours must be finite.");
    }
}

void check_panel(const Panel& panel, const std::string& where) {
    check_axis(panel.x, where + ", x axis");
    check_axis(panel.y, where + ", y axis");
    if (panel.series.empty() && !panel.map) refuse(where, "there is nothing to draw: it has neither series nor a map.");
    if (!panel.series.empty() && panel.map) refuse(where, "it has series and a map; put them into two panels.");
    if (panel.map) check_map(panel, where);

    // Rows of the CSV file are told apart by panel and label.
    std::set<std::string> labels;
    for (const Series& series : panel.series) {
        check_series(series, fmt::format("{}, series '{}'", where, series.label));
        if (!labels.insert(series.label).second) {
            throw RepeatedName(fmt::format("{}: the label '{}' is given to two series.", where, series.label),
                               series.label);
        }
    }
}

// A series may look like one that has a look of its own.
void check_likes(const Figure& figure, const std::string& where) {
    std::vector<std::string> known;
    for (const Panel& panel : figure.panels) {
        for (const Series& series : panel.series) {
            // A series that borrows its look has none to lend.
            if (series.like.empty()) known.push_back(series.label);
        }
    }
    for (const Panel& panel : figure.panels) {
        for (const Series& series : panel.series) {
            if (series.like.empty() || std::find(known.begin(), known.end(), series.like) != known.end()) continue;
            refuse(where, fmt::format("series '{}' is to look like '{}', which no series has.{}", series.label,
                                      series.like, did_you_mean(series.like, known)));
        }
    }
}

}  // namespace

void check(const Figure& figure) {
    check_file_name("figure", figure.name);
    const std::string where = fmt::format("figure '{}'", figure.name);
    if (figure.panels.empty()) refuse(where, "there is nothing to draw: it has no panel.");
    if (figure.columns < 1) refuse(where, fmt::format("it needs one column at least, not {}.", figure.columns));
    check_likes(figure, where);
    for (std::size_t i = 0; i < figure.panels.size(); ++i) {
        const std::string& title = figure.panels[i].title;
        check_panel(figure.panels[i],
                    fmt::format("{}, panel {}{}", where, i + 1, title.empty() ? "" : fmt::format(" ('{}')", title)));
    }
}

}  // namespace rfbench::report
