#pragma once
// Where to write the level on a contour line.
#include <utility>
#include <vector>

#include "rfbench/report/figure.hpp"
#include "rfbench/report/panel_view.hpp"

namespace rfbench::report {

struct ContourLabel {
    double level;
    double x, y;
    bool has_room;  ///< to be written without covering another or the frame
};

/// One place for each level that some edge of the map's grid crosses within the axes: on the contour, away from the
/// frame and from the labels before it. Levels that are not crossed have no contour and are left out.
std::vector<ContourLabel> contour_labels(const Panel&, const PanelView&);

}  // namespace rfbench::report
