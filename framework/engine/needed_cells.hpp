#pragma once
// The cells that results were collected from: the lists `cells` of all results.
#include <filesystem>
#include <string>
#include <vector>

namespace rfbench::engine {

/// Whether an HDF5 file below the results is a run's: the run's folder is beside it, or the file says of which study it
/// is. One that cannot be read counts, since it may be a damaged result.
bool is_result(const std::filesystem::path& file);

/// Folders of the results that were collected below the root of all results, those of profiles too: of each result
/// file, of each list of cells, and of each journal that tells of a result.
std::vector<std::filesystem::path> collected_folders(const std::filesystem::path& results);

/// Identities in hexadecimal, from the list `cells` in a result's folder. Throws Error, naming the list, unless it is
/// there and has the sha256 that SHA256SUMS gives it.
std::vector<std::string> needed_cells(const std::filesystem::path& folder);

}  // namespace rfbench::engine
