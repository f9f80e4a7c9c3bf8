#pragma once
// Curves that nearly coincide, drawn as differences to one of them.
#include <string>

#include "rfbench/report/figure.hpp"

namespace rfbench::experiments {

/// Draws every panel relative to its curve called `method`, or to that of another panel of the same data, whose title
/// begins alike ("normal, signed" and "normal, positive"): y minus its y at the same x, or over it on a
/// logarithmic axis, intervals with their curves. A series has no value where that curve has none. Lines across, words
/// and a given range of y, which are of the values themselves, are left out. Panels without such
/// a curve stay as they are. Returns whether one was changed.
bool draw_relative(report::Figure&, const std::string& method);

}  // namespace rfbench::experiments
