#pragma once
// From figures to their files: data by ourselves, pictures through framework/drawing/draw.py, which is Python with
// matplotlib.
#include <filesystem>
#include <string>
#include <vector>

#include "rfbench/errors.hpp"
#include "rfbench/report/figure.hpp"

namespace rfbench::report {

struct FigureFiles {
    std::filesystem::path csv, json, svg, pdf;
};

/// Files of the figure of that name.
FigureFiles figure_files(const std::string& name, const std::filesystem::path& folder);

/// Writes <folder>/<name>.csv (all data as one table) and .json (all there is to draw), each whole or not at all, with
/// the same bytes for the same figure; the folder is made when missing. Throws what check(Figure) and store::write_file
/// throw.
FigureFiles write_figure_data(const Figure&, const std::filesystem::path& folder);

/// Program that draws, and how.
struct Drawing {
    std::filesystem::path folder;      ///< of draw.py, looks.json and rfbench.mplstyle
    std::filesystem::path style = {};  ///< matplotlib settings of the user's, over those of rfbench.mplstyle
    bool titled = true;                ///< whether a figure's title stands in its picture
};

/// A picture could not be made; what() says which and why, in a sentence.
class DrawError : public FileError {
    using FileError::FileError;
};

/// There is no Python, or it has no matplotlib; what() says how to get it.
class NothingToDrawWith : public DrawError {
    using DrawError::DrawError;
};

/// Draws .svg and .pdf of all of these from their .json, in one process of Python: $RFBENCH_PYTHON where that is set,
/// else the system's /usr/bin/python3 or the first python3 on PATH, whichever has matplotlib. Each picture is replaced
/// whole or not at all, with the same bytes for the same data and the same matplotlib; one that fails leaves the
/// others. Returns notes for the user, a line each: of characters that the font lacks. Throws DrawError when one
/// failed, after all others are drawn.
std::string draw(const std::vector<FigureFiles>&, const Drawing&);

/// A look for a name that looks.json in `folder` lacks, as a line of a family there and a comment on it: a colour far
/// from those of the family, whatever the reader's sight, and a free dash and mark. Throws InputError for an unknown
/// family, and what draw() throws where there is no Python.
std::string proposed_look(const std::string& name, const std::string& family, const std::filesystem::path& folder);

/// The .svg where it is there and shows just this figure, not one of earlier data or an edited one; else empty.
std::string picture_of(const Figure&, const FigureFiles&);

}  // namespace rfbench::report
