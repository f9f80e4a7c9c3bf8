#pragma once
// Figures that use everything a figure can have.
#include <string>
#include <vector>

#include "rfbench/report/figure.hpp"

namespace rfbench::report {

/// Bands, gaps, lone points, references, annotations and 17 named series in one panel.
Figure seventeen_series();

/// Log-log axes, error bars down to below zero, values <= 0 and infinite, an all-NaN series, a panel with its own key.
Figure log_log();

/// Maps on even, uneven and logarithmic nodes, with contours, holes and both palettes.
Figure maps();

/// One point; no point at all; words below an axis; steps.
Figure small_panels();

inline std::vector<Figure> demo_figures() { return {seventeen_series(), log_log(), maps(), small_panels()}; }

}  // namespace rfbench::report
