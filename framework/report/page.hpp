#pragma once
// One HTML page that shows figures and tables, whole in itself: it can be mailed or opened from a disk.
#include <filesystem>
#include <string>
#include <vector>

#include "rfbench/report/figure.hpp"
#include "rfbench/report/table.hpp"

namespace rfbench::report {

/// What was made of one result file.
struct Section {
    std::string title;
    std::string text = {};
    std::vector<Figure> figures = {};
    std::filesystem::path figure_folder = {};  ///< where write_figure put them
    std::vector<Table> tables = {};
    std::filesystem::path table_folder = {};
    std::vector<std::filesystem::path> files = {};  ///< to be linked, such as the result file itself
};

/// Writes `page` with every section's figures (their SVG files, carried inside), tables and captions, and links,
/// relative to the page, to the files beside them. A figure whose SVG file is not there is named as not drawn. The
/// same bytes for the same input. Throws what check(Table) and store::write_file throw.
void write_page(const std::filesystem::path& page, const std::string& title, const std::vector<Section>&);

}  // namespace rfbench::report
