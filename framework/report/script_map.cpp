#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rfbench/report/contour_labels.hpp"
#include "rfbench/report/gnuplot_text.hpp"
#include "rfbench/report/number_text.hpp"
#include "rfbench/report/script_part.hpp"

namespace rfbench::report {

namespace {

constexpr const char* viridis =
    "set palette defined (0 '#440154', 1 '#472d7b', 2 '#3b528b', 3 '#2c728e', 4 '#21918c', 5 '#28ae80', 6 '#5ec962', "
    "7 '#addc30', 8 '#fde725')\n";
constexpr const char* blue_white_red =
    "set palette defined (0 '#08306b', 1 '#2171b5', 2 '#6baed6', 3 '#c6dbef', 4 '#f7f7f7', 5 '#fdd0a2', 6 '#f16913', "
    "7 '#c23b00', 8 '#7f2704')\n";

bool has_values(const HeatMap& map) {
    return std::any_of(map.z.begin(), map.z.end(), [](double z) { return std::isfinite(z); });
}

// The finite data's extent; for the diverging palette symmetric about zero.
Interval colour_range(const HeatMap& map) {
    if (map.range) return *map.range;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double z : map.z) {
        if (!std::isfinite(z)) continue;
        low = std::min(low, z);
        high = std::max(high, z);
    }
    if (map.palette == Palette::diverging) {
        high = std::max(std::abs(low), std::abs(high));
        low = -high;
    }
    if (low < high) return {low, high};
    const double spare = low == 0 ? 1 : 0.1 * std::abs(low);
    return {low - spare, low + spare};
}

std::string contour_preparation(const PanelScript& part) {
    const std::vector<ContourLabel> labels = contour_labels(part.panel, part.view);
    if (labels.empty()) return "";
    std::vector<std::string> levels;
    for (const ContourLabel& label : labels) levels.push_back(shortest(label.level));
    return fmt::format(
        "set contour base; unset surface; set cntrparam linear levels discrete {1}\n"
        "set table $contours{0}\n"
        "splot $grid{0} using 1:2:3 with lines\n"
        "unset table\n"
        "unset contour; set surface\n",
        part.number, fmt::join(levels, ","));
}

std::string contour_texts(const std::vector<ContourLabel>& labels) {
    std::string text;
    for (const ContourLabel& label : labels) {
        if (!label.has_room) continue;
        text += fmt::format("set label '{}' at first {}, first {} center boxed font ',9' front\n",
                            rounded(label.level, 6), shortest(label.x), shortest(label.y));
    }
    return text;
}

std::string colour_scale(const PanelScript& part) {
    const PanelLayout& place = part.place;
    const auto [low, high] = colour_range(*part.panel.map);
    return fmt::format(
        "set colorbox user origin screen {}, {} size screen {:.5f}, {:.5f} noborder\n"
        "set cblabel {} noenhanced font ',{}'; set cbrange [{}:{}]; set cbtics scale 0.4; unset mcbtics\n",
        screen_x(part.whole, place.right + 10), screen_y(part.whole, place.bottom), 12.0 / part.whole.width,
        (place.bottom - place.top) / part.whole.height, gnuplot_quoted(part.panel.map->label), label_font,
        shortest(low), shortest(high));
}

}  // namespace

std::string map_preparation(const PanelScript& part) {
    if (!has_values(*part.panel.map)) return "";
    std::string text = fmt::format(
        "# Values of panel {0}: an empty line after each x makes them a grid.\n"
        "set table $rows\n"
        "plot data every ::{1}::{2} using "
        "(column('x')):(column('y')):(abs(column('z')) < 1.7e308 ? column('z') : NaN) with table\n"
        "unset table\n"
        "set print $grid{0}\n"
        "do for [i = 1:{3}] {{ print $rows[i]; if (i % {4} == 0) {{ print '' }} }}\n"
        "unset print\n"
        "undefine $rows\n"
        "set datafile separator whitespace; set datafile nocolumnheaders\n",
        part.number, part.rows.front().first, part.rows.front().last, part.panel.map->z.size(),
        part.panel.map->y.size());
    return text + contour_preparation(part) + "set datafile separator ','; set datafile columnheaders\n\n";
}

std::string map_commands(const PanelScript& part) {
    const HeatMap& map = *part.panel.map;
    std::string text =
        "set border 15 front; unset grid; unset key\nset datafile separator whitespace; set datafile nocolumnheaders\n";
    if (!has_values(map)) {
        return text +
               "set label 'no values' at graph 0.5, graph 0.5 center textcolor rgb '#777777'\nplot NaN notitle\n";
    }
    const std::vector<ContourLabel> labels = contour_labels(part.panel, part.view);
    text +=
        (map.palette == Palette::sequential ? viridis : blue_white_red) + colour_scale(part) + contour_texts(labels);
    const std::string contours = labels.empty() ? "" : fmt::format(", \\\n     $contours{} ", part.number);
    if (is_drawn_in_pixels(part.panel)) {
        text += fmt::format("plot $grid{} using 1:2:3 with image notitle", part.number);
        if (!contours.empty()) text += contours + "using 1:2 with lines lc rgb '#222222' lw 0.8 notitle";
        return text + "\n";
    }
    text += fmt::format("set view map; set pm3d map corners2color mean\nsplot $grid{} using 1:2:3 with pm3d notitle",
                        part.number);
    if (!contours.empty()) text += contours + "using 1:2:3 with lines lc rgb '#222222' lw 0.8 notitle";
    return text + "\nunset pm3d; unset view\n";
}

}  // namespace rfbench::report
