#pragma once
// All data of a figure in one long table.
#include <string>
#include <vector>

#include "rfbench/report/figure.hpp"

namespace rfbench::report {

/// Columns panel, series, x, y, low, high, and z if there is a map; numbers so that they read back as the same doubles;
/// NaN for a gap, an empty field where a row has no such quantity.
std::string figure_csv(const Figure&);

/// Names of the panels in the file: their titles, or "1", "2", ... unless every panel has a title of its own.
std::vector<std::string> panel_names(const Figure&);

}  // namespace rfbench::report
