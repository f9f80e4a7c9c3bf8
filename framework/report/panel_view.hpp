#pragma once
// What part of the plane a panel shows, and what it cannot show.
#include <string>
#include <utility>
#include <vector>

#include "rfbench/report/figure.hpp"

namespace rfbench::report {

using Interval = std::pair<double, double>;

struct PanelView {
    Interval x;  ///< ends of the axes: given ranges, or those of what can be drawn with a small margin
    Interval y;
    std::vector<bool> drawn;         ///< [series]: has a point that can be drawn
    std::vector<std::string> notes;  ///< sentences for the reader: values left out, series without any
};

/// A point can be drawn when x and y are finite, and positive on a log axis. Points that cannot are left out, like
/// gaps, and counted in the notes, except NaN, which is how a gap is given. Intervals that reach out of the axes are
/// cut off.
PanelView view(const Panel&);

/// Whether x[i], y[i] can be drawn.
bool drawable(const Panel&, const Series&, std::size_t i);

/// Whether the panel's map has evenly spaced nodes on linear axes, so that it can be an image of one pixel a node;
/// any other is drawn as quadrilaterals between its nodes.
bool is_drawn_in_pixels(const Panel&);

/// Whether some point that can be drawn has no such neighbour in the series, so that a line would not show it.
bool has_lone_point(const Panel&, const Series&);

}  // namespace rfbench::report
