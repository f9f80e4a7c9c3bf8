#include "rfbench/engine/needed_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "rfbench/engine/journal_summary.hpp"
#include "rfbench/engine/layout.hpp"
#include "rfbench/store/checksums.hpp"
#include "rfbench/store/entries_below.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/file_reading.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/sha256.hpp"
#include "rfbench/store/staged_result.hpp"

namespace rfbench::engine {
namespace {

namespace fs = std::filesystem;

// The folder of the result that a file tells of; empty if it tells of none. Results are at <experiment>/<config>, in
// the folder of a profile or not.
fs::path result_of(const fs::path& file, const fs::path& results) {
    const fs::path name = file.lexically_relative(results);
    const auto depth = std::distance(name.begin(), name.end());
    if (*name.begin() == reference_folder) return {};
    const bool made = std::any_of(name.begin(), name.end(), store::is_generation);
    if (made || !fs::is_regular_file(file)) return {};
    if (name.extension() == ".h5" && (depth == 2 || depth == 3))
        return is_result(file) ? fs::path(file).replace_extension() : fs::path();
    if (depth != 3 && depth != 4) return {};
    const bool tells = name.filename() == cell_list ||
                       (name.filename() == "journal" && !history(file.parent_path()).collected.event.empty());
    return tells ? file.parent_path() : fs::path();
}

}  // namespace

bool is_result(const fs::path& file) {
    if (fs::is_directory(fs::path(file).replace_extension())) return true;
    try {
        return store::read(file).attributes.contains("study");
    } catch (const store::Error&) {
        return true;
    }
}

std::vector<fs::path> collected_folders(const fs::path& results) {
    std::set<fs::path> found;
    for (const auto& entry : store::entries_below(results, results / "cells"))
        if (const fs::path folder = result_of(entry.path(), results); !folder.empty()) found.insert(folder);
    return {found.begin(), found.end()};
}

std::vector<std::string> needed_cells(const fs::path& folder) {
    const fs::path list = folder / cell_list;
    const auto refuse = [&](const std::string& reason) {
        throw store::Error(
            fmt::format("{}: {}; 'rfbench run' of that configuration makes it again", list.string(), reason));
    };
    const store::Checksums sums = store::read_checksums(folder);
    const auto text = store::read_if_there(list);
    const auto sum = sums.find(cell_list);
    if (!text) refuse("this list of the cells that a result was collected from is missing");
    if (sum == sums.end()) refuse(fmt::format("{} does not name it", (folder / store::checksums_name).string()));
    if (store::sha256(*text) != sum->second) refuse("it is not as it was written");
    std::istringstream lines(*text);
    std::vector<std::string> cells;
    for (std::string line; std::getline(lines, line);) cells.push_back(line);
    return cells;
}

}  // namespace rfbench::engine
