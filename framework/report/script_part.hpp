#pragma once
// The parts script() is put together from.
#include <map>
#include <string>

#include "rfbench/report/figure.hpp"
#include "rfbench/report/figure_csv.hpp"
#include "rfbench/report/layout.hpp"
#include "rfbench/report/panel_view.hpp"

namespace rfbench::report {

/// Numbers of gnuplot's line styles, by label.
using StyleNumbers = std::map<std::string, int>;

/// What one panel is drawn from.
struct PanelScript {
    const Panel& panel;
    const PanelView& view;
    const PanelLayout& place;
    const FigureLayout& whole;
    const std::vector<Rows>& rows;
    const StyleNumbers& styles;
    std::size_t number;  ///< from 1
};

/// Frame, axes, marks, titles, reference lines and annotations.
std::string frame_commands(const PanelScript&);

/// The plot command of a panel of series, with its own key if it has one.
std::string series_commands(const PanelScript&);

/// To come before the first panel: reads a map's values into $grid<number>, and its contours into $contours<number>.
std::string map_preparation(const PanelScript&);

/// The plot command of a map, with its colour scale.
std::string map_commands(const PanelScript&);

/// How the legend shows this series: "with lines ls 3".
std::string sample(const Series&, const StyleNumbers&);

/// Screen coordinates of gnuplot, between 0 and 1 from the bottom left.
std::string screen_x(const FigureLayout&, double pixels);
std::string screen_y(const FigureLayout&, double pixels);

}  // namespace rfbench::report
