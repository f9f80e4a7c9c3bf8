#pragma once
// Files that are there whole or not at all.
#include <filesystem>
#include <string_view>

namespace rfbench::datasets {

/// Writes a temporary file beside `path` (making the folders), flushes it to the disk, renames it to `path`, and
/// flushes the folder. Throws DataError naming the file, the step and the system's reason, and leaves no temporary file
/// behind.
void write_whole_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace rfbench::datasets
