#pragma once
// Figures and tables of a collected result file, written beside it: results/<experiment>/figures and tables.
#include <filesystem>
#include <string>
#include <vector>

namespace rfbench::cli {

void draw_figures(const std::filesystem::path& collected);
/// Also shown on the terminal when `print` is true.
void draw_tables(const std::filesystem::path& collected, bool print);

/// The collected files under the results folder that the names mean ("variance", "variance/regimes", a path); all of
/// them without a name.
std::vector<std::filesystem::path> collected_files(const std::filesystem::path& results,
                                                   const std::vector<std::string>& names);

}  // namespace rfbench::cli
