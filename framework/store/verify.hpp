#pragma once
// Checks that the files of a result folder are those that were written.
#include <filesystem>
#include <string>
#include <vector>

namespace rfbench::store {

enum class Damage {
    missing,     ///< listed, but not there
    changed,     ///< its sha256 is not the one it was written with
    unreadable,  ///< the file or the list cannot be read
    malformed,   ///< a line of the list is none, or one of a journal not as it was written
    unlisted,    ///< the collected file is there, but not listed
    stray,       ///< there, but not listed
    temporary,   ///< left by a process that was killed while it wrote
};

/// "missing", "changed", ...
const char* name(Damage);

struct Finding {
    Damage damage;
    std::filesystem::path file;
    std::string detail;  ///< one sentence, without the file's name

    /// Stray and temporary files do no harm to results; everything else does.
    bool harmful() const { return damage != Damage::stray && damage != Damage::temporary; }
};

/// Checks every file that folder/SHA256SUMS lists by its sha256 alone: no HDF5 file is opened. A list that is missing,
/// or that lacks the collected file folder.h5, is a finding too: then there is nothing to compare with. Files that take
/// their places meanwhile (generation.hpp) are compared with what they are to be. Lines of journals
/// are held to their own sums. `SHA256SUMS`, journals and locks are no strays. Empty when all is well; sorted by file.
/// Throws Error when there is no such folder.
std::vector<Finding> verify(const std::filesystem::path& folder);

}  // namespace rfbench::store
