#include <fmt/format.h>

#include <cmath>

#include "rfbench/report/gnuplot_text.hpp"
#include "rfbench/report/number_text.hpp"
#include "rfbench/report/script_part.hpp"

namespace rfbench::report {

namespace {

std::string margins(const PanelScript& part) {
    return fmt::format(
        "set lmargin at screen {}; set rmargin at screen {}; set tmargin at screen {}; set bmargin at "
        "screen {}\n",
        screen_x(part.whole, part.place.left), screen_x(part.whole, part.place.right),
        screen_y(part.whole, part.place.top), screen_y(part.whole, part.place.bottom));
}

// Signs that stand closer to the frame than gnuplot puts them; a quadrilateral map is a surface seen from above to it,
// whose labels it places otherwise.
const char* label_offset(bool across, bool surface) { return across ? "0,0.7" : surface ? "0,0" : "1.2,0"; }
const char* text_offset(bool across, bool slanted) { return slanted ? "0.3,0.1" : across ? "0,0.35" : "0.4,0"; }

// One axis: label, scale, range and marks; `name` is x or y.
std::string axis_commands(char name, const Axis& axis, Interval ends, const Ticks& marks, bool surface) {
    const bool across = name == 'x';
    std::string text = fmt::format("set {}label {} noenhanced font ',{}' offset {}\n", name, gnuplot_quoted(axis.label),
                                   label_font, label_offset(across, surface));
    text += fmt::format("{} logscale {}\n", axis.log ? "set" : "unset", name);
    text += fmt::format("set {}range [{}:{}]\n", name, shortest(ends.first), shortest(ends.second));
    text += fmt::format(
        "set {}tics {} {} {} offset {}\n", name, marks.places, marks.format.empty() ? "noenhanced" : "enhanced",
        marks.slanted ? "rotate by 40 right" : "norotate autojustify", text_offset(across, marks.slanted));
    if (!marks.format.empty()) text += fmt::format("set format {} {}\n", name, gnuplot_quoted(marks.format));
    text += marks.minor > 0 ? fmt::format("set m{}tics {}\n", name, marks.minor) : fmt::format("unset m{}tics\n", name);
    return text;
}

bool inside(Interval ends, double value) { return ends.first <= value && value <= ends.second; }

double part_of(const Axis& axis, Interval ends, double value) {
    if (axis.log) return std::log(value / ends.first) / std::log(ends.second / ends.first);
    return (value - ends.first) / (ends.second - ends.first);
}

constexpr const char* reference_stroke = "nohead back lc rgb '#777777' lw 1 dt (5,3)";

std::string horizontal_lines(const PanelScript& part) {
    std::string text;
    for (const ReferenceLine& line : part.panel.horizontal) {
        if (!inside(part.view.y, line.at)) continue;
        const std::string at = shortest(line.at);
        text += fmt::format("set arrow from graph 0, first {0} to graph 1, first {0} {1}\n", at, reference_stroke);
        if (line.text.empty()) continue;
        const bool below = part_of(part.panel.y, part.view.y, line.at) > 0.92;
        text += fmt::format(
            "set label {} at graph 0.99, first {} right offset 0,{} noenhanced font ',10' textcolor rgb "
            "'#555555' front\n",
            gnuplot_quoted(line.text), at, below ? "-0.6" : "0.5");
    }
    return text;
}

std::string vertical_lines(const PanelScript& part) {
    std::string text;
    for (const ReferenceLine& line : part.panel.vertical) {
        if (!inside(part.view.x, line.at)) continue;
        const std::string at = shortest(line.at);
        text += fmt::format("set arrow from first {0}, graph 0 to first {0}, graph 1 {1}\n", at, reference_stroke);
        if (line.text.empty()) continue;
        const bool left = part_of(part.panel.x, part.view.x, line.at) > 0.7;
        text += fmt::format(
            "set label {} at first {}, graph 0.96 {} offset {},0 noenhanced font ',10' textcolor rgb "
            "'#555555' front\n",
            gnuplot_quoted(line.text), at, left ? "right" : "left", left ? "-0.5" : "0.5");
    }
    return text;
}

std::string annotations(const PanelScript& part) {
    std::string text;
    for (const Annotation& note : part.panel.annotations) {
        text += fmt::format("set label {} at first {}, first {} noenhanced font ',10' front\n",
                            gnuplot_quoted(note.text), shortest(note.x), shortest(note.y));
    }
    return text;
}

std::string notes(const PanelScript& part) {
    std::string text;
    for (std::size_t i = 0; i < part.place.notes_lines.size(); ++i) {
        text += fmt::format("set label {} at screen {}, {} left noenhanced font ',10' textcolor rgb '#777777'\n",
                            gnuplot_quoted(part.place.notes_lines[i]), screen_x(part.whole, part.place.left),
                            screen_y(part.whole, part.place.notes + 13 * static_cast<double>(i)));
    }
    return text;
}

}  // namespace

std::string frame_commands(const PanelScript& part) {
    const Panel& panel = part.panel;
    const bool surface = panel.map && !is_drawn_in_pixels(panel);
    return margins(part) +
           fmt::format("set title {} noenhanced font ',{}' offset 0,-0.4\n", gnuplot_quoted(panel.title), title_font) +
           axis_commands('x', panel.x, part.view.x, part.place.x, surface) +
           axis_commands('y', panel.y, part.view.y, part.place.y, surface) + horizontal_lines(part) +
           vertical_lines(part) + annotations(part) + notes(part);
}

}  // namespace rfbench::report
