#pragma once
// The gnuplot script of a figure.
#include <string>

#include "rfbench/report/figure.hpp"
#include "rfbench/report/figure_csv.hpp"

namespace rfbench::report {

/// A script for gnuplot 5.4 that draws <name>.svg from <name>.csv, both in the current folder.
std::string script(const Figure&, const FigureCsv&);

}  // namespace rfbench::report
