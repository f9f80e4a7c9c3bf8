#pragma once
// Summary of a folder's journals. Events: "failed" for a cell, "collected" for the collected file, "interrupted" for
// a run.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "rfbench/store/journal.hpp"

namespace rfbench::engine {

struct JournalSummary {
    std::map<std::string, store::Event> failed;  ///< by identity in hex: the last failure
    store::Event collected;            ///< the last time the collected file was written; seconds: a cell's, in the mean
    std::string interrupted;           ///< "3 of 8 cells": what was there when a run was interrupted
    std::vector<std::string> damaged;  ///< one sentence for each line that cannot be read
};

/// Folds all journals there are.
JournalSummary history(const std::filesystem::path& folder);

}  // namespace rfbench::engine
