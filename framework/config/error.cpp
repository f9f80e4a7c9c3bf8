#include "rfbench/config/error.hpp"

#include <fmt/format.h>

#include <algorithm>

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

std::string in_quotes(std::string_view text) {
    constexpr std::size_t longest = 60;
    std::string shown = "'";
    std::size_t characters = 0;
    for (const char c : text) {
        if (!continues_utf8(c) && ++characters > longest) return shown + "...'";
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\n') {
            shown += "\\n";
        } else if (byte < 0x20 || byte == 0x7F) {
            shown += fmt::format("\\x{:02x}", byte);
        } else {
            shown += c;
        }
    }
    return shown + "'";
}

std::string joined(const std::string& path, std::string_view key) {
    const bool plain = !key.empty() && key.size() <= 60 && std::all_of(key.begin(), key.end(), is_plain);
    return (path.empty() ? "" : path + ".") + (plain ? std::string(key) : in_quotes(key));
}

std::string joined(const std::string& path, std::size_t index) { return joined(path, std::to_string(index)); }

}  // namespace rfbench::config
