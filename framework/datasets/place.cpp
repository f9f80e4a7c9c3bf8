#include "rfbench/datasets/place.hpp"

#include <fmt/format.h>

#include "rfbench/text/utf8.hpp"

namespace rfbench::datasets {

std::string Place::text() const {
    if (row == 0) return std::string(file);
    return column == 0 ? fmt::format("{}:{}", file, row) : fmt::format("{}:{}:{}", file, row, column);
}

void refuse(const Place& place, const std::string& sentence) { throw DataError(place.text() + ": " + sentence); }

std::string in_quotes(std::string_view field) {
    constexpr std::size_t longest = 40;
    constexpr char digits[] = "0123456789abcdef";
    std::string out = "'";
    for (const char c : utf8_prefix(field, longest)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte != 0x7f) {
            out += c;
        } else {
            out += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
        }
    }
    return out + (field.size() > longest ? "...'" : "'");
}

}  // namespace rfbench::datasets
