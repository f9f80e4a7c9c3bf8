#pragma once
// What the journal of a folder says about its cells. Events: "done" and "failed" for a cell, "collected" for the
// collected file, "fresh": what was done before counts no more.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "rfbench/store/journal.hpp"

namespace rfbench::engine {

struct History {
    std::map<std::string, store::Event> done;  ///< by key: the last time its file was written
    std::map<std::string, store::Event> last;  ///< by key: the last attempt
    store::Event collected;                    ///< the last time the collected file was written
    std::vector<std::string> damaged;          ///< one sentence for each line that cannot be read
};

/// Folds the journal, which need not exist.
History history(const std::filesystem::path& journal);

}  // namespace rfbench::engine
