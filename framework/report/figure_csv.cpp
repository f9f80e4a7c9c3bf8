#include "rfbench/report/figure_csv.hpp"

#include <algorithm>
#include <set>

#include "rfbench/report/csv_text.hpp"
#include "rfbench/report/number_text.hpp"

namespace rfbench::report {

namespace {

std::string series_rows(const std::string& panel, const Series& series, bool has_map) {
    const std::string head = csv_field(panel) + ',' + csv_field(series.label) + ',';
    std::string text;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
        text += head + shortest(series.x[i]) + ',' + shortest(series.y[i]) + ',';
        if (!series.low.empty()) text += shortest(series.low[i]);
        text += ',';
        if (!series.high.empty()) text += shortest(series.high[i]);
        text += has_map ? ",\n" : "\n";
    }
    return text;
}

std::string map_rows(const std::string& panel, const HeatMap& map) {
    const std::string head = csv_field(panel) + ",,";
    std::string text;
    for (std::size_t i = 0; i < map.x.size(); ++i) {
        const std::string start = head + shortest(map.x[i]) + ',';
        for (std::size_t j = 0; j < map.y.size(); ++j) {
            text += start + shortest(map.y[j]) + ",,," + shortest(map.z[i * map.y.size() + j]) + '\n';
        }
    }
    return text;
}

}  // namespace

std::vector<std::string> panel_names(const Figure& figure) {
    std::vector<std::string> names;
    std::set<std::string> different;
    for (const Panel& panel : figure.panels) {
        names.push_back(panel.title);
        // A title may be broken for its panel; a name is one line.
        for (char& c : names.back()) c = c == '\n' || c == '\r' ? ' ' : c;
        if (!panel.title.empty()) different.insert(names.back());
    }
    // Were only some panels named by numbers, a number could be the title of another.
    if (different.size() < names.size()) {
        for (std::size_t i = 0; i < names.size(); ++i) names[i] = std::to_string(i + 1);
    }
    return names;
}

std::string figure_csv(const Figure& figure) {
    const bool has_map = std::any_of(figure.panels.begin(), figure.panels.end(),
                                     [](const Panel& panel) { return panel.map.has_value(); });
    const std::vector<std::string> names = panel_names(figure);
    std::string text = has_map ? "panel,series,x,y,low,high,z\n" : "panel,series,x,y,low,high\n";
    for (std::size_t p = 0; p < figure.panels.size(); ++p) {
        const Panel& panel = figure.panels[p];
        for (const Series& series : panel.series) text += series_rows(names[p], series, has_map);
        if (panel.map) text += map_rows(names[p], *panel.map);
    }
    return text;
}

}  // namespace rfbench::report
