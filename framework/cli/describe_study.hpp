#pragma once
// Text of `rfbench describe` about a study and of a key that names sources.
#include <filesystem>
#include <string>
#include <vector>

#include "study/study.hpp"

namespace rfbench::cli {

/// The study's own keys, an example that runs, from the smoke profile of a configuration below `configs`, and the
/// methods that it takes.
std::string study_text(const experiments::Study&, const std::filesystem::path& configs);

/// Keys that name sources, such as points, heads and tasks.
std::vector<std::string> source_keys();

/// Keys of each source of such a key, for all studies that have the key; empty for any other word.
std::string source_key_text(const std::string& key);

}  // namespace rfbench::cli
