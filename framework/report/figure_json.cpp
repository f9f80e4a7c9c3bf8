#include "rfbench/report/figure_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "rfbench/json/json.hpp"

namespace rfbench::report {

namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
    // JSON has no numbers that are not finite.
    if (std::isnan(value)) return nullptr;
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}

Json numbers(const std::vector<double>& values) {
    Json all = Json::array();
    for (const double value : values) all.push_back(number(value));
    return all;
}

Json pair(const std::pair<double, double>& ends) { return {number(ends.first), number(ends.second)}; }

const char* word(Style style) {
    switch (style) {
        case Style::line: return "line";
        case Style::points: return "points";
        case Style::line_points: return "line and points";
        case Style::steps: return "steps";
        case Style::reference: break;
    }
    return "reference";
}

const char* word(Key key) {
    switch (key) {
        case Key::shared: return "shared";
        case Key::none: return "none";
        case Key::top_left: return "top-left";
        case Key::top_right: return "top-right";
        case Key::bottom_left: return "bottom-left";
        case Key::bottom_right: break;
    }
    return "bottom-right";
}

Json json(const Axis& axis) {
    Json result{{"label", axis.label}};
    // Defaults are left out, here and below.
    if (axis.log) result["log"] = true;
    if (axis.range) result["range"] = pair(*axis.range);
    for (const Tick& tick : axis.ticks) result["ticks"].push_back({{"at", number(tick.at)}, {"text", tick.text}});
    return result;
}

Json json(const Series& series) {
    Json result{{"label", series.label}, {"style", word(series.style)}};
    if (!series.like.empty()) result["like"] = series.like;
    if (!series.in_legend) result["legend"] = false;
    result["x"] = numbers(series.x);
    result["y"] = numbers(series.y);
    if (!series.low.empty()) {
        result["spread"] = series.spread == Spread::band ? "band" : "bars";
        result["low"] = numbers(series.low);
        result["high"] = numbers(series.high);
    }
    return result;
}

Json json(const HeatMap& map) {
    Json result{{"label", map.label}, {"palette", map.palette == Palette::sequential ? "sequential" : "diverging"}};
    if (map.range) result["range"] = pair(*map.range);
    if (!map.contours.empty()) result["contours"] = numbers(map.contours);
    result["x"] = numbers(map.x);
    result["y"] = numbers(map.y);
    // One list for each x, as they lie one after the other in z.
    Json columns = Json::array();
    for (std::size_t i = 0; i < map.x.size(); ++i) {
        Json column = Json::array();
        for (std::size_t j = 0; j < map.y.size(); ++j) column.push_back(number(map.z[i * map.y.size() + j]));
        columns.push_back(column);
    }
    result["z"] = columns;
    return result;
}

Json json(const std::vector<ReferenceLine>& lines) {
    Json all = Json::array();
    for (const ReferenceLine& line : lines) {
        Json one{{"at", number(line.at)}};
        if (!line.text.empty()) one["text"] = line.text;
        all.push_back(one);
    }
    return all;
}

Json json(const Panel& panel) {
    Json result = Json::object();
    if (!panel.title.empty()) result["title"] = panel.title;
    result["x"] = json(panel.x);
    result["y"] = json(panel.y);
    if (panel.key != Key::shared) result["key"] = word(panel.key);
    for (const Series& series : panel.series) result["series"].push_back(json(series));
    if (panel.map) result["map"] = json(*panel.map);
    if (!panel.horizontal.empty()) result["horizontal"] = json(panel.horizontal);
    if (!panel.vertical.empty()) result["vertical"] = json(panel.vertical);
    for (const Annotation& note : panel.annotations)
        result["annotations"].push_back({{"x", number(note.x)}, {"y", number(note.y)}, {"text", note.text}});
    return result;
}

}  // namespace

std::string figure_json(const Figure& figure) {
    Json result{{"name", figure.name}, {"title", figure.title}, {"caption", figure.caption}};
    if (!figure.interval.empty()) result["interval"] = figure.interval;
    result["columns"] = figure.columns;
    for (const Panel& panel : figure.panels) result["panels"].push_back(json(panel));
    return json_lines(result) + '\n';
}

}  // namespace rfbench::report
