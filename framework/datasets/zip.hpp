#pragma once
// One file out of a zip archive (PKWARE APPNOTE 6.3), for downloads that come packed so: stored and deflated members,
// no encryption, no Zip64.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rfbench::datasets {

/// Whether the bytes begin as a zip archive does.
bool is_zip(std::string_view bytes);

/// The contents of `member` of an archive, checked against the archive's CRC-32. `file` names the archive in messages.
/// Throws DataError when the bytes are no zip archive, are cut short, use what is not supported, or have no such member
/// (then naming the members there are), and when the member unpacks to more than `limit` bytes.
std::string unzip(std::string_view bytes, std::string_view member, std::size_t limit, std::string_view file);

/// The names of an archive's members, in its order. Throws DataError when the bytes are no zip archive or are cut
/// short.
std::vector<std::string> zip_members(std::string_view bytes, std::string_view file);

}  // namespace rfbench::datasets
