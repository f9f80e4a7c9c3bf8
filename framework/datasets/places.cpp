#include "rfbench/datasets/places.hpp"

#include <cstdlib>
#include <system_error>

namespace rfbench::datasets {

namespace {

namespace fs = std::filesystem;

/// An environment variable as a path; an empty one counts as not set.
fs::path variable(const char* name) {
    const char* const value = std::getenv(name);
    return value ? fs::path(value) : fs::path();
}

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

}  // namespace

fs::path find_project(const fs::path& start) {
    std::error_code failure;
    fs::path folder = fs::absolute(start, failure).lexically_normal();
    for (; !folder.empty(); folder = folder.parent_path()) {
        if (is_there(folder / "data" / "manifest.yaml")) return folder;
        if (folder == folder.parent_path()) break;
    }
    return {};
}

Places places_of_this_machine(const fs::path& project) {
    Places places;
    places.data_folder = variable("RFBENCH_DATA");
    const bool from_project = places.data_folder.is_relative() && !places.data_folder.empty() && !project.empty();
    if (from_project && !is_there(places.data_folder) && is_there(project / places.data_folder)) {
        places.data_folder = (project / places.data_folder).lexically_normal();
    }
    if (!project.empty()) places.caches.push_back(project / "data" / "cache");
    // A relative path there counts as none (XDG Base Directory Specification).
    if (const fs::path cache = variable("XDG_CACHE_HOME"); cache.is_absolute()) {
        places.caches.push_back(cache / "rfbench");
    } else if (const fs::path home = variable("HOME"); home.is_absolute()) {
        places.caches.push_back(home / ".cache" / "rfbench");
    }
    return places;
}

}  // namespace rfbench::datasets
