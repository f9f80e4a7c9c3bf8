#pragma once
// Files read by their bytes, with every failure told.
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace rfbench::store {

/// Passes a regular file's bytes on in pieces of up to 1 MiB. Throws Error naming the file and the reason when it is no
/// regular file (a pipe would block for ever) or cannot be opened or read to its end.
void read_pieces(const std::filesystem::path&, const std::function<void(std::span<const std::byte>)>& take);

/// The whole file. Throws as read_pieces does.
std::string read_whole(const std::filesystem::path&);

/// The whole file, or nothing when there is no such file. Throws as read_pieces does for anything else.
std::optional<std::string> read_if_there(const std::filesystem::path&);

}  // namespace rfbench::store
