#include "rfbench/report/script.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "rfbench/report/gnuplot_text.hpp"
#include "rfbench/report/look.hpp"
#include "rfbench/report/script_part.hpp"

namespace rfbench::report {

namespace {

std::string head(const Figure& figure, const FigureLayout& whole) {
    return comment(figure.title.empty() ? figure.name : figure.title) +
           fmt::format(
               "# Draws {0}.svg from {0}.csv beside it, with gnuplot 5.4: gnuplot {0}.gp\n"
               "reset\n"
               "set encoding utf8\n"
               "set terminal svg size {1},{2} font 'sans-serif,{3}' enhanced background '#ffffff'\n"
               "set output '{0}.svg'\n"
               "data = '{0}.csv'\n"
               "set datafile separator ','\n"
               "set datafile columnheaders\n\n",
               figure.name, whole.width, whole.height, label_font);
}

constexpr const char* common_settings =
    "set tics out nomirror scale 0.6,0.35 font ',10' textcolor rgb '#333333'\n"
    "set grid xtics ytics back lt 1 lc rgb '#e6e6e6' lw 0.7\n"
    "set border lc rgb '#444444' lw 0.8\n"
    "set style textbox opaque noborder margins 0.4,0.2 fillcolor rgb '#ffffff'\n"
    "unset key\n\n"
    "# An end of an interval beyond the frame is moved to it.\n"
    "cut(v, low, high) = v < low ? low : v > high ? high : v\n\n";

std::string dash_pattern(const std::vector<int>& dashes) {
    if (dashes.empty()) return "solid";
    return fmt::format("({})", fmt::join(dashes, ","));
}

// Line styles in the order in which the labels appear.
std::string line_styles(const Figure& figure, StyleNumbers& numbers) {
    const std::map<std::string, Look> chosen = looks(figure);
    std::string text = "# The look of each series.\n";
    for (const Panel& panel : figure.panels) {
        for (const Series& series : panel.series) {
            const int number = static_cast<int>(numbers.size()) + 1;
            if (!numbers.emplace(series.label, number).second) continue;
            const Look& look = chosen.at(series.label);
            text += fmt::format("set style line {} lc rgb {} lw {} dt {} pt {} ps 0.62  {}", number,
                                gnuplot_quoted(look.colour), look.width, dash_pattern(look.dashes), look.mark,
                                comment(series.label));
        }
    }
    return numbers.empty() ? "" : text + "\n";
}

std::string figure_title(const Figure& figure, const FigureLayout& whole) {
    if (figure.title.empty()) return "";
    return fmt::format("set label 1 {} at screen 0.5, {} center noenhanced font ',{}' front\n",
                       gnuplot_quoted(figure.title), screen_y(whole, 20), figure_title_font);
}

const Series& first_of(const Figure& figure, const std::string& label) {
    for (const Panel& panel : figure.panels) {
        const auto found = std::find_if(panel.series.begin(), panel.series.end(),
                                        [&](const Series& series) { return series.label == label; });
        if (found != panel.series.end()) return *found;
    }
    return figure.panels.front().series.front();
}

// An empty plot that carries the key of all panels.
std::string legend(const Figure& figure, const FigureLayout& whole, const StyleNumbers& styles) {
    const LegendLayout& place = whole.legend;
    if (place.labels.empty()) return "";
    std::string text = fmt::format(
        "\n# Legend.\n"
        "unset label; unset arrow; unset title; unset xlabel; unset ylabel; unset tics; unset border; unset logscale\n"
        "set lmargin at screen 0; set rmargin at screen 1; set bmargin at screen 0; set tmargin at screen 1\n"
        "set key at screen {}, {} left top Left reverse vertical maxrows {} samplen 3 spacing 1.05 width {} font "
        "',{}'\n"
        "plot [0:1][0:1] 2 notitle",
        screen_x(whole, place.left), screen_y(whole, place.top), place.rows, place.widening, label_font);
    for (std::size_t i = 0; i < place.labels.size(); ++i) {
        const std::string& label = place.labels[i];
        text += fmt::format(", \\\n     keyentry {} title {} noenhanced", sample(first_of(figure, label), styles),
                            gnuplot_quoted(label));
    }
    return text + "\n";
}

}  // namespace

std::string screen_x(const FigureLayout& whole, double pixels) { return fmt::format("{:.5f}", pixels / whole.width); }

std::string screen_y(const FigureLayout& whole, double pixels) {
    return fmt::format("{:.5f}", 1 - pixels / whole.height);
}

std::string script(const Figure& figure, const FigureCsv& csv) {
    std::vector<PanelView> views;
    for (const Panel& panel : figure.panels) views.push_back(view(panel));
    const FigureLayout whole = layout(figure, views);

    StyleNumbers styles;
    std::string text = head(figure, whole) + common_settings + line_styles(figure, styles);
    std::vector<PanelScript> parts;
    for (std::size_t p = 0; p < figure.panels.size(); ++p) {
        parts.push_back({figure.panels[p], views[p], whole.panels[p], whole, csv.rows[p], styles, p + 1});
    }
    for (const PanelScript& part : parts) {
        if (part.panel.map) text += map_preparation(part);
    }

    text += "set multiplot\n";
    for (const PanelScript& part : parts) {
        text += fmt::format("\n# Panel {}.\n", part.number) + "unset label; unset arrow\n";
        if (part.number == 1) text += figure_title(figure, whole);
        text += frame_commands(part) + (part.panel.map ? map_commands(part) : series_commands(part));
    }
    return text + legend(figure, whole, styles) + "\nunset multiplot\nunset output\n";
}

}  // namespace rfbench::report
