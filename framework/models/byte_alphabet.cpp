#include "rfbench/models/byte_alphabet.hpp"

#include <algorithm>
#include <array>

namespace rfbench::models {
namespace {

constexpr int characters = 256 + 68;

constexpr bool prints(int byte) {
    return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
}

/// The byte of each code point, -1 where there is none.
constexpr std::array<int, characters> make_bytes() {
    std::array<int, characters> table{};
    // Bytes that do not print take the code points from 256 on, in their order; their own stand for nothing.
    for (int other = 256, byte = 0; byte < 256; ++byte) {
        if (!prints(byte)) table[static_cast<std::size_t>(byte)] = -1;
        table[static_cast<std::size_t>(prints(byte) ? byte : other++)] = byte;
    }
    return table;
}

constexpr auto byte_of_code = make_bytes();

}  // namespace

std::string spelled_byte(unsigned char byte) {
    const auto code =
        static_cast<unsigned>(std::find(byte_of_code.begin(), byte_of_code.end(), int{byte}) - byte_of_code.begin());
    // UTF-8 below U+0800, where the whole alphabet is: one byte, or two.
    if (code < 0x80) return {static_cast<char>(code)};
    return {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 0x3f))};
}

std::optional<std::string> spelled_bytes(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        // The alphabet ends at U+0143: its characters have one byte, or two that begin with c2 to c5.
        unsigned code = static_cast<unsigned char>(text[i]);
        if (code >= 0x80) {
            if (code < 0xc2 || code > 0xc5 || i + 1 == text.size()) return std::nullopt;
            const unsigned next = static_cast<unsigned char>(text[++i]);
            if ((next & 0xc0) != 0x80) return std::nullopt;
            code = (code & 0x1f) << 6 | (next & 0x3f);
        }
        if (code >= characters || byte_of_code[code] < 0) return std::nullopt;
        out += static_cast<char>(byte_of_code[code]);
    }
    return out;
}

}  // namespace rfbench::models
