#include "rfbench/config/error.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rfbench/config/one_line.hpp"
#include "rfbench/text/utf8.hpp"

namespace rfbench::config {
namespace {

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

}  // namespace

std::string where(const Place& place, const std::string& path) {
    std::string text = place.source ? place.source->name : std::string("configuration");
    if (place.source && place.source->has_lines && place.line > 0) {
        text += fmt::format(":{}:{}", place.line, place.column);
    }
    if (!path.empty()) text += ": " + (place.source ? place.source->prefix : std::string()) + path;
    return text;
}

std::string on_one_line(std::string_view text) {
    std::string shown;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\n') {
            shown += "\\n";
        } else if (byte < 0x20 || byte == 0x7F) {
            shown += fmt::format("\\x{:02x}", byte);
        } else {
            shown += c;
        }
    }
    return shown;
}

std::string in_quotes(std::string_view text) {
    constexpr std::size_t longest = 60;
    std::size_t characters = 0;
    const auto* const cut =
        std::find_if(text.begin(), text.end(), [&](char c) { return !continues_utf8(c) && ++characters > longest; });
    const auto kept = static_cast<std::size_t>(cut - text.begin());
    return "'" + on_one_line(text.substr(0, kept)) + (kept < text.size() ? "...'" : "'");
}

std::string joined(const std::string& path, std::string_view key) {
    const bool plain = !key.empty() && key.size() <= 60 && std::all_of(key.begin(), key.end(), is_plain);
    return (path.empty() ? "" : path + ".") + (plain ? std::string(key) : in_quotes(key));
}

std::string joined(const std::string& path, std::size_t index) { return joined(path, std::to_string(index)); }

}  // namespace rfbench::config
