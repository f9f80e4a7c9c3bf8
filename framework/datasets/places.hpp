#pragma once
// The folders of this machine where data may lie.
#include <filesystem>
#include <string>
#include <vector>

namespace rfbench::datasets {

struct Places {
    std::filesystem::path data_folder;          ///< what RFBENCH_DATA names; empty when it is not set
    std::vector<std::filesystem::path> caches;  ///< in the order of search; fetch() writes into the first
};

/// The nearest folder that holds data/manifest.yaml, from `start` upwards; empty when there is none.
std::filesystem::path find_project(const std::filesystem::path& start);

/// RFBENCH_DATA (a relative one counts from the current folder and, when there is nothing there, from the project),
/// then PROJECT/data/cache, then $XDG_CACHE_HOME/rfbench or ~/.cache/rfbench. `project` may be empty.
Places places_of_this_machine(const std::filesystem::path& project);

}  // namespace rfbench::datasets
