#pragma once
// Finding a data set's files on this machine: the data folder, the caches, then what packages install. The network is
// never used here. A file counts only when its contents have the manifest's sha256.
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "rfbench/datasets/manifest.hpp"
#include "rfbench/datasets/places.hpp"

namespace rfbench::datasets {

enum class State { good, absent, wrong };

/// One place where a file may lie, and what is there.
struct Candidate {
    std::string source;          ///< "RFBENCH_DATA", "cache" or "package NAME"
    std::filesystem::path path;  ///< empty when the place does not exist (RFBENCH_DATA not set)
    State state;
    std::string detail;    ///< what is wrong or missing, as a sentence without a place; empty when good
    std::string contents;  ///< when good: the bytes whose sha256 was checked, gzip taken off
};

/// Every place of `file`, in the order of search, looked at one after another until `visit` returns false.
void survey(const DataFile& file, const Places&, const std::function<bool(const Candidate&)>& visit);

struct FoundFile {
    std::filesystem::path path;
    std::string source;    ///< as in Candidate
    std::string sha256;    ///< of `contents`, equal to the manifest's: the data hash of results
    std::string contents;  ///< gzip taken off
};

/// Takes a sentence for the user; never null.
using Warn = std::function<void(const std::string&)>;

/// The first good copy of each of the data set's files, in the manifest's order. A copy with the wrong contents, or an
/// RFBENCH_DATA that is not a folder, is told to `warn`, and the search goes on. Throws DataError that lists every
/// place looked at and the ways to get the data when a file has no good copy.
std::vector<FoundFile> locate(const Entry&, const Places&, const Warn& warn);

/// The contents unpacked from what a place holds: gzip is taken off when it is there. Throws DataError when the length
/// or the sha256 is not the manifest's. `name` stands for the bytes in messages.
std::string checked_contents(std::string bytes, const DataFile&, const std::string& name);

}  // namespace rfbench::datasets
