#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rfbench/report/gnuplot_text.hpp"
#include "rfbench/report/look.hpp"
#include "rfbench/report/number_text.hpp"
#include "rfbench/report/script_part.hpp"

namespace rfbench::report {

namespace {

constexpr std::size_t marks_on_a_line = 14;

// An end of an interval, moved to the frame where it lies beyond.
std::string cut_column(const char* name, Interval ends, const std::vector<double>& values) {
    const bool inside = std::all_of(values.begin(), values.end(),
                                    [&](double v) { return std::isnan(v) || (ends.first <= v && v <= ends.second); });
    if (inside) return fmt::format("'{}'", name);
    return fmt::format("(cut(column('{}'), {}, {}))", name, shortest(ends.first), shortest(ends.second));
}

// The same column inside an expression.
std::string as_value(const std::string& column) { return column.front() == '\'' ? "column(" + column + ")" : column; }

struct Source {
    std::string rows, low, high;
};

Source source_of(const PanelScript& part, std::size_t s) {
    const Series& series = part.panel.series[s];
    return {fmt::format("data every ::{}::{} using 'x'", part.rows[s].first, part.rows[s].last),
            cut_column("low", part.view.y, series.low), cut_column("high", part.view.y, series.high)};
}

std::string strokes(const PanelScript& part, const Series& series, int style) {
    const std::size_t every = (series.x.size() + marks_on_a_line - 1) / marks_on_a_line;
    const std::string marked = fmt::format("with linespoints ls {} pi {}", style, every);
    switch (series.style) {
        case Style::points: return fmt::format("with points ls {}", style);
        case Style::line_points:
            return has_lone_point(part.panel, series) ? fmt::format("with linespoints ls {}", style) : marked;
        case Style::steps: return fmt::format("with steps ls {}", style);
        case Style::line:
        case Style::reference: break;
    }
    return fmt::format("with {} ls {}", has_lone_point(part.panel, series) ? "linespoints" : "lines", style);
}

std::string own_key(Key key) {
    switch (key) {
        case Key::top_left: return "top left Left reverse";
        case Key::top_right: return "top right Right noreverse";
        case Key::bottom_left: return "bottom left Left reverse";
        case Key::bottom_right: return "bottom right Right noreverse";
        case Key::shared:
        case Key::none: break;
    }
    return "";
}

// Bands lie below error bars, and these below all lines and points.
std::vector<std::string> elements(const PanelScript& part, bool titled) {
    std::vector<std::string> bands, bars, lines;
    for (std::size_t s = 0; s < part.panel.series.size(); ++s) {
        if (!part.view.drawn[s]) continue;
        const Series& series = part.panel.series[s];
        const int style = part.styles.at(series.label);
        const Source from = source_of(part, s);
        if (!series.low.empty() && series.spread == Spread::band) {
            bands.push_back(fmt::format("{}:{}:{} with filledcurves ls {} fs transparent solid 0.12 noborder notitle",
                                        from.rows, from.low, from.high, style));
        } else if (!series.low.empty()) {
            bars.push_back(fmt::format("{}:{}:(0):({} - {}) with vectors nohead ls {} dt solid lw 1.1 notitle",
                                       from.rows, from.low, as_value(from.high), as_value(from.low), style));
        }
        const std::string title =
            titled && series.in_legend ? "title " + gnuplot_quoted(series.label) + " noenhanced" : "notitle";
        lines.push_back(fmt::format("{}:'y' {} {}", from.rows, strokes(part, series, style), title));
    }
    bands.insert(bands.end(), bars.begin(), bars.end());
    bands.insert(bands.end(), lines.begin(), lines.end());
    return bands;
}

}  // namespace

std::string sample(const Series& series, const StyleNumbers& styles) {
    const bool marked = series.style == Style::line_points;
    const char* stroke = series.style == Style::points ? "points" : marked ? "linespoints" : "lines";
    return fmt::format("with {} ls {}", stroke, styles.at(series.label));
}

std::string series_commands(const PanelScript& part) {
    const std::string key = own_key(part.panel.key);
    std::string text =
        "set border 3; set grid; unset colorbox\nset datafile separator ','; set datafile columnheaders\n";
    text += key.empty() ? "unset key\n" : fmt::format("set key {} samplen 2.5 spacing 1.2 font ',10'\n", key);
    const std::vector<std::string> drawn = elements(part, !key.empty());
    if (drawn.empty()) {
        return text +
               "set label 'no values' at graph 0.5, graph 0.5 center textcolor rgb '#777777'\nplot NaN notitle\n";
    }
    text += "plot ";
    for (std::size_t i = 0; i < drawn.size(); ++i) text += (i ? ", \\\n     " : "") + drawn[i];
    return text + "\n";
}

}  // namespace rfbench::report
