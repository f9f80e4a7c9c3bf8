#pragma once
// Figures and tables of a collected result file, in folders of the configuration: results/<experiment>/<config>/figures
// and tables, and listed in its SHA256SUMS.
#include <filesystem>
#include <string>
#include <vector>

namespace rfbench::cli {

/// All figures of these files: first their data, then their pictures, in one process for all. `style`: a file of
/// matplotlib settings of the user's, or empty. Throws report::DrawError when some picture could not be made.
void draw_figures(const std::vector<std::filesystem::path>& collected, const std::filesystem::path& style = {});
/// Also shown on the terminal when `print` is true.
void draw_tables(const std::filesystem::path& collected, bool print);

/// The collected files under the results folder that the names mean ("variance", "variance/regimes", a path); all of
/// them without a name.
std::vector<std::filesystem::path> collected_files(const std::filesystem::path& results,
                                                   const std::vector<std::string>& names);

/// Everything there is in the results folder on one page, its index.html. A file that cannot be shown is left out, with
/// a note that says why.
void write_results_page(const std::filesystem::path& results);

}  // namespace rfbench::cli
