#pragma once
#include <filesystem>

#include "rfbench/engine/plan.hpp"
#include "verbs.hpp"

namespace rfbench::cli {

/// Throws FileError with the folder, the system's reason and the remedy where this user cannot make files in
/// `folder`, which need not be there yet.
void require_writable(const std::filesystem::path& folder);

/// Folder of a profile's results: the root of all results, or the folder of that profile in it. Throws store::Error if
/// that is a symbolic link.
std::filesystem::path tree(const RunOptions&);

/// A sentence that names in what they differ where the place of a plan's results is taken by those of another
/// configuration: of another file, or of the same with other values set on the command line. Empty where it is not;
/// results of the same file are no others, however it was edited.
std::string taken_by_another(const std::filesystem::path& results, const engine::Plan&);

/// Throws InputError with that sentence.
void require_own_place(const std::filesystem::path& results, const engine::Plan&);

}  // namespace rfbench::cli
