#pragma once
// The list SHA256SUMS of a result folder; `sha256sum -c SHA256SUMS`, run in the folder, checks it too. Its last line, a
// comment for sha256sum, has the sha256 of those above, so that no line is lost or changed unseen.
//
// A list may come from anybody: whoever reads one gets names of files in the result's folder alone.
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace rfbench::store {

inline constexpr const char* checksums_name = "SHA256SUMS";

/// Name of a file, relative to the result's folder -> its sha256.
using Checksums = std::map<std::string, std::string>;

/// Whether a name in a result's folder is that of a list, a journal, a lock, or of a folder of a generation or of
/// shards. No list has such a name.
bool is_bookkeeping(const std::filesystem::path& name);

/// Writes folder/SHA256SUMS as write_file does, sorted by name. Throws Error for a name that would be refused when it
/// is read. `result` is the folder that names are relative to, where the list waits in another for its place.
void write_checksums(const std::filesystem::path& folder, const Checksums&);
void write_checksums(const std::filesystem::path& folder, const Checksums&, const std::filesystem::path& result);

/// Empty when there is no list. Throws Error naming file and line where it is not as it was written: a line that
/// `sha256sum -c` would refuse, a name given twice, a last line that is missing or not of those above, and a name that
/// is none of the result's: it is relative, has no parts "." and "..", no backslashes and no control characters, is no
/// bookkeeping, and no symbolic link is on its way. The one name outside is "../<result>.h5", the collected file.
Checksums read_checksums(const std::filesystem::path& folder);
Checksums read_checksums(const std::filesystem::path& folder, const std::filesystem::path& result);

/// Checksum of a file in the list that names it: one in the file's folder, in the folder above it, or in the folder
/// named as the file without its extension (results/angle/SHA256SUMS for results/angle.h5). A damaged list names
/// nothing.
std::optional<std::string> listed_checksum(const std::filesystem::path& file);

}  // namespace rfbench::store
