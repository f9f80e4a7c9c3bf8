#pragma once
// One HTML page that shows figures and tables, whole in itself: it can be mailed or opened from a disk.
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rfbench/report/figure.hpp"
#include "rfbench/report/table.hpp"

namespace rfbench::report {

/// Figures and tables of one result file.
struct Section {
    std::string title;         ///< unlike those of all other sections, such as "variance/regimes"
    std::string text = {};     ///< what it is, in a line
    std::string reduced = {};  ///< why it is less than the full study, such as "profile smoke"; empty when it is not
    std::vector<std::string> failures = {};                       ///< what could not be computed
    std::vector<std::pair<std::string, std::string>> facts = {};  ///< name and value: seed, commit
    std::string configuration = {};                               ///< resolved, in YAML
    std::vector<Figure> figures = {};
    std::filesystem::path figure_folder = {};  ///< where their files are
    std::vector<Table> tables = {};
    std::filesystem::path table_folder = {};
    std::vector<std::filesystem::path> files = {};  ///< to be linked, such as the result file itself
};

/// Menu by which rows are filtered; a row has none, one or several of its entries.
struct Filter {
    std::string title;
    std::vector<std::vector<std::string>> entries;  ///< of each row
    std::string hidden = {};                        ///< rows with this entry are hidden at first
};

/// A table whose rows a reader can filter, by menus and by words.
struct FilteredTable {
    std::string title;
    Table table;
    std::vector<Filter> filters = {};
};

/// Writes `page`: `first`, where there is one, a list of contents, then every section's figures (their SVG files,
/// carried inside), tables, captions, configuration and failures, and links, relative to the page, to the files beside
/// them. Reduced sections are named above all else. A figure whose SVG file is not there, or was drawn from other data,
/// is named as not drawn. The same bytes for the same input. The last line has the sha256 of those above it. Throws
/// what check(Table) and store::write_file throw.
void write_page(const std::filesystem::path& page, const std::string& title, const std::vector<Section>&,
                const std::optional<FilteredTable>& first = {});

/// Says in a sentence why a page is not as write_page wrote it; empty if it is, or if there is none.
std::string page_damage(const std::filesystem::path& page);

}  // namespace rfbench::report
