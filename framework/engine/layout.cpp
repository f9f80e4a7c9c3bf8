#include "rfbench/engine/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rfbench::engine {

std::filesystem::path checkpoints_of(const std::filesystem::path& results) { return results / "cells" / "checkpoints"; }

Layout::Layout(const std::filesystem::path& results, const Plan& plan, const std::optional<Shard>& shard)
    : cells(results / "cells"),
      checkpoints(checkpoints_of(results)),
      collected(results / (place(plan) + ".h5")),
      folder(results / place(plan)),
      list(folder / cell_list),
      journal(folder / ("journal" + (shard ? "-" + shard->name() : ""))),
      lock(lock_of(journal)) {}

std::vector<std::filesystem::path> journals(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> found;
    std::error_code problem;
    for (std::filesystem::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
        const std::string name = at->path().filename().string();
        if (name == "journal" || name.starts_with("journal-")) found.push_back(at->path());
    }
    // The order of a folder is the file system's own.
    std::sort(found.begin(), found.end());
    return found;
}

std::filesystem::path lock_of(const std::filesystem::path& journal) {
    const std::string shard = journal.filename().string().substr(std::string("journal").size());
    return journal.parent_path() / ("lock" + shard);
}

}  // namespace rfbench::engine
