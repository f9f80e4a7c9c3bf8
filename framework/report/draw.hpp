#pragma once
// From a figure to its files, through gnuplot and rsvg-convert.
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "rfbench/report/figure.hpp"

namespace rfbench::report {

struct FigureFiles {
    std::filesystem::path csv, script, svg, pdf;
};

/// A drawing program is missing or failed; what() says which, why, and which files were written nevertheless.
class DrawError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Writes <folder>/<name>.csv (all data), .gp (the gnuplot script that draws it when run in that folder), .svg and
/// .pdf, each whole or not at all, with the same bytes for the same figure; the folder is made when missing. Without
/// gnuplot (package gnuplot-nox) or rsvg-convert (librsvg2-bin), or when they fail, throws DrawError after .csv and
/// .gp are written, and removes the .svg and .pdf of an earlier run. Throws what check(Figure) and store::write_file
/// throw.
FigureFiles write_figure(const Figure&, const std::filesystem::path& folder);

}  // namespace rfbench::report
