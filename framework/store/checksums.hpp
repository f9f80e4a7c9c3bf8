#pragma once
// The list SHA256SUMS of a result folder; `sha256sum -c SHA256SUMS`, run in the folder, checks it too.
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace rfbench::store {

inline constexpr const char* checksums_name = "SHA256SUMS";

/// Name of a file, relative to the folder of the list -> its sha256.
using Checksums = std::map<std::string, std::string>;

/// Writes folder/SHA256SUMS as write_file does, sorted by name.
void write_checksums(const std::filesystem::path& folder, const Checksums&);

/// Empty when there is no list. Throws Error naming file and line for a line that `sha256sum -c` would refuse.
Checksums read_checksums(const std::filesystem::path& folder);

/// Checksum of a file in the list that names it: one in the file's folder, in the folder above it, or in the folder
/// named as the file without its extension (results/angle/SHA256SUMS for results/angle.h5).
std::optional<std::string> listed_checksum(const std::filesystem::path& file);

}  // namespace rfbench::store
