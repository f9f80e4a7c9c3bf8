#pragma once
// The files of a result that change together: the collected file, figures, tables. They are made in a folder of their
// own, and when all are whole and on the disk they take their places one after the other. Until then those before them
// stay; a process that is stopped in between leaves what the next one goes on with. A file system cannot exchange
// several files at once, so that for that moment some are new and some are old, and no list names those.
#include <filesystem>
#include <string>
#include <vector>

#include "rfbench/store/checksums.hpp"

namespace rfbench::store {

class StagedResult {
public:
    /// Prepares a result's folder, whose lock is held: completes a replacement that an earlier process had made whole,
    /// and removes one that it had not, or that is damaged. Throws Error.
    explicit StagedResult(std::filesystem::path folder);
    /// Removes what did not take its place.
    ~StagedResult();
    StagedResult(const StagedResult&) = delete;
    StagedResult& operator=(const StagedResult&) = delete;

    /// Folder in which the files are made, under the names that they will have in the result's folder. "x.h5" there is
    /// "../x.h5" in the list, the collected file beside that folder.
    const std::filesystem::path& folder() const { return folder_; }

    /// Replacements of earlier processes that were damaged, a sentence each.
    const std::vector<std::string>& damaged() const { return damaged_; }

    /// Puts them in the place of the listed files whose names begin with one of these parts ("figures/"), and lists
    /// them. A file that has no successor goes if it is as it was listed. Throws Error; what is in place by then is
    /// finished by the next process.
    void replace(const std::vector<std::string>& parts);

private:
    std::filesystem::path result_, folder_;
    std::vector<std::string> damaged_;
};

/// Whether a name in a result's folder is that of one in which files are made: "next-" and a number.
bool is_generation(const std::filesystem::path& name);

/// The sums of files that have taken their places already, where a replacement is going on or was stopped midway;
/// `going_on` becomes true then. Throws Error where its list is damaged.
Checksums sums_of_replaced(const std::filesystem::path& folder, bool& going_on);

}  // namespace rfbench::store
