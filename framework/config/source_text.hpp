#pragma once
// The bytes of a configuration, checked before any YAML is read from them.
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "rfbench/config/error.hpp"

namespace rfbench::config {

/// The longest configuration that is read, in bytes: far more than any sweep needs.
inline constexpr std::size_t max_text_bytes = std::size_t{4} << 20;

/// The bytes of a regular file. Throws Error when there is none of that name (naming the nearest in its folder), it is
/// a folder or a device, cannot be read, or is longer than max_text_bytes.
std::string read_source(const std::string& path);

/// The text without byte order mark and with "\r\n" as "\n". Throws Error at the first byte that is not UTF-8, is a tab
/// or another control character, at a line that begins with '%' (a YAML directive), or when it is too long.
std::string checked_text(std::string_view bytes, const std::shared_ptr<const Source>&);

}  // namespace rfbench::config
