#pragma once
// Figures and tables of collected result files: results/<experiment>/<config>/figures and tables. They are made in a
// folder of their own, from where they take their places together (store/staged_result.hpp).
#include <filesystem>
#include <string>
#include <vector>

#include "study/configuration.hpp"

namespace rfbench::cli {

/// Report of a collected file. Throws store::Error if it cannot be trusted, FileError if another version made it and
/// this one cannot show it. Empty if every cell failed.
experiments::Report report_of(const std::filesystem::path& collected);

/// The figures of one result: made in figures/ of `folder`, and in place in figures/ of `result`.
struct ToDraw {
    std::vector<report::Figure> figures;
    std::filesystem::path result, folder;
};

struct Drawn {
    std::vector<std::filesystem::path> pictures;  ///< where they are once they are in place
    std::string failure;                          ///< why some could not be made; empty where all were
    bool nothing_to_draw_with = false;
};

/// All figures of these results: first their data, then their pictures, in one process for all. Where a picture cannot
/// be made, the one in place stays if it is of the same data. `style`: a file of matplotlib settings of the user's, or
/// empty.
Drawn draw_figures(const std::vector<ToDraw>&, const std::filesystem::path& style = {}, bool titled = true);

/// Writes tables to tables/ of a folder and returns their Markdown files below it. `result`: the folder that they will
/// be in, <results>/<experiment>/<configuration>; labels in LaTeX begin with the experiment, so that all of them differ
/// in one document. `narrow`: for a column of a journal.
std::vector<std::filesystem::path> write_tables(const std::vector<report::Table>&, const std::filesystem::path& folder,
                                                const std::filesystem::path& result, bool narrow = false);

/// The collected files under the results folder that the names mean ("variance", "variance/regimes", a path); all of
/// them without a name.
std::vector<std::filesystem::path> collected_files(const std::filesystem::path& results,
                                                   const std::vector<std::string>& names);

/// " results/quick has some: --profile quick.", to be put after a sentence: of which profiles below `results` there
/// are results that the names mean (any, without a name). Empty where there are none.
std::string hint_at_other_profiles(const std::filesystem::path& results, const std::vector<std::string>& names);

/// Name of the page of all results in their folder.
inline constexpr const char* results_page = "index.html";

/// Everything there is in the results folder on that page. A file that cannot be shown is left out, with
/// a note that says why.
void write_results_page(const std::filesystem::path& results);

}  // namespace rfbench::cli
