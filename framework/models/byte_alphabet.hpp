#pragma once
// GPT-2's files write a byte as a character: those that print in Latin-1 as themselves ('!' to '~', U+00A1 to U+00AC,
// U+00AE to U+00FF), the other 68 in their order as U+0100, U+0101, ... (a space is U+0120).
// Source: OpenAI, gpt-2, src/encoder.py, bytes_to_unicode.
#include <optional>
#include <string>
#include <string_view>

namespace rfbench::models {

/// The bytes that a text in this alphabet stands for; none when a character stands for no byte or is no UTF-8.
std::optional<std::string> spelled_bytes(std::string_view text);

/// The character of a byte, in UTF-8.
std::string spelled_byte(unsigned char byte);

}  // namespace rfbench::models
