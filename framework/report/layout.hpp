#pragma once
// Where everything of a figure stands, in pixels from its top left corner.
#include <string>
#include <vector>

#include "rfbench/report/figure.hpp"
#include "rfbench/report/panel_view.hpp"
#include "rfbench/report/ticks.hpp"

namespace rfbench::report {

struct PanelLayout {
    double left, right, top, bottom;  ///< of the frame
    double notes;                     ///< baseline of the notes below the x label
    std::vector<std::string> notes_lines;
    Ticks x, y;
};

struct LegendLayout {
    std::vector<std::string> labels;  ///< in the order of their first appearance
    int rows = 0;
    double left = 0, top = 0, width = 0;  ///< of its box
    double widening = 0;                  ///< of a column, in gnuplot's characters: it takes all to be equally wide
};

struct FigureLayout {
    int width, height;
    std::vector<PanelLayout> panels;
    LegendLayout legend;  ///< no labels: nothing to show
};

/// Frames of equal size in rows from the left; room around them for the widest texts of their row or column. The legend
/// of panels with Key::shared is left out when it would name a single series.
FigureLayout layout(const Figure&, const std::vector<PanelView>&);

}  // namespace rfbench::report
