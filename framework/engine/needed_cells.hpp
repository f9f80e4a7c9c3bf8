#pragma once
// The cells that results were collected from: the lists `cells` of all results.
#include <filesystem>
#include <string>
#include <vector>

namespace rfbench::engine {

/// Folders of the results that were collected below the root of all results, those of profiles too: of each result
/// file, of each list of cells, and of each journal that tells of a result.
std::vector<std::filesystem::path> collected_folders(const std::filesystem::path& results);

/// Identities in hexadecimal, from the list `cells` in a result's folder. Throws Error, naming the list, unless it is
/// there and has the sha256 that SHA256SUMS gives it.
std::vector<std::string> needed_cells(const std::filesystem::path& folder);

}  // namespace rfbench::engine
