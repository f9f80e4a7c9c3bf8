#pragma once
// A whole file in memory: what is hashed is then exactly what is read.
#include <cstddef>
#include <filesystem>
#include <string>

namespace rfbench::datasets {

/// The bytes of a regular file. Throws DataError naming the file and the system's reason when it cannot be opened or
/// read, is not a regular file, or holds more than `limit` bytes.
std::string file_bytes(const std::filesystem::path&, std::size_t limit);

/// The first `count` of them, or all where there are fewer. Throws likewise.
std::string front_bytes(const std::filesystem::path&, std::size_t count);

}  // namespace rfbench::datasets
