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

/// Whether a file has the name of a temporary of write_file.
bool is_temporary(const std::filesystem::path&);

/// Whether a temporary is of a process that was killed: nobody holds its lock, as who writes it does.
bool is_left_over(const std::filesystem::path& temporary);

/// Removes the temporaries that killed processes left in a folder and below it. Returns how many there were. Throws
/// Error when one cannot be removed.
std::size_t remove_temporaries(const std::filesystem::path& folder);
/// The same in a file's folder, but not below it.
std::size_t remove_temporaries_beside(const std::filesystem::path& file);

}  // namespace rfbench::store
