#pragma once
// Files that are there whole or not at all, whenever the process or the machine stops.
#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace rfbench::store {

/// Writes a temporary file beside `path`, forces it to the disk, renames it to `path` and forces the folder's entry to
/// the disk. Throws Error naming the operation, the file and the reason. After a failure the temporary is gone and
/// `path` is what it was; only when forcing the folder's entry fails is the new file there already, whole, but a power
/// cut might still bring back the old one. A symbolic link at `path` is replaced by the file.
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file(const std::filesystem::path& path, std::string_view text);

/// The same where there is no such file yet; one that is there stays. Of several processes the first one's text counts.
void write_file_once(const std::filesystem::path& path, std::string_view text);

/// Whether a file has the name of a temporary of write_file, such as a killed process leaves.
bool is_temporary(const std::filesystem::path&);

/// Removes the temporaries in a folder and below it, but for the folder `except`; to be called only when no process
/// writes there. Returns how many there were. Throws Error when one cannot be removed.
std::size_t remove_temporaries(const std::filesystem::path& folder, const std::filesystem::path& except = {});

}  // namespace rfbench::store
