#pragma once
// UTF-8 (Unicode 15, table 3-7), by utfcpp.
#include <utf8.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace rfbench {

/// Offset of the first byte that is not well-formed UTF-8; the size of the text if there is none.
inline std::size_t utf8_fault(std::string_view text) {
    return static_cast<std::size_t>(utf8::find_invalid(text.begin(), text.end()) - text.begin());
}

/// Whether a byte goes on with a character, 10xxxxxx, instead of beginning one.
inline bool continues_utf8(char byte) { return utf8::internal::is_trail(byte); }

/// Number of characters of a well-formed text.
inline std::size_t num_characters(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return !continues_utf8(byte); }));
}

/// The longest beginning of at most `max_bytes` bytes that ends with a whole character.
inline std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes) {
    if (text.size() <= max_bytes) return text;
    while (max_bytes > 0 && continues_utf8(text[max_bytes])) --max_bytes;
    return text.substr(0, max_bytes);
}

}  // namespace rfbench
