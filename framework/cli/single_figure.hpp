#pragma once
// A figure that a verb draws where it is asked to, outside of results.
#include <filesystem>

#include "rfbench/report/figure.hpp"

namespace rfbench::cli {

/// Throws InputError where draw_to() could not take the name: it ends with neither .svg nor .pdf, or has other
/// characters than names of figures have.
void require_picture_name(const std::filesystem::path& file);

/// Draws the figure to this file and to those of its name beside it, .svg and .pdf, with its data as .csv and .json,
/// and says so. Throws InputError as require_picture_name(), and what report::draw() throws.
void draw_to(report::Figure, const std::filesystem::path& file);

}  // namespace rfbench::cli
