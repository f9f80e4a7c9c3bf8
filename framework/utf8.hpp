#pragma once
// Texts of the user's are UTF-8.
#include <cstddef>
#include <string_view>

namespace rfbench {

/// The longest beginning of at most `most` bytes that ends with a whole character.
inline std::string_view beginning(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text;
    // The bytes of a character after its first are 10xxxxxx.
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
    return text.substr(0, most);
}

}  // namespace rfbench
