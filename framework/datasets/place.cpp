#include "rfbench/datasets/place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

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
    for (const char c : field.substr(0, longest)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte != 0x7f) {
            out += c;
        } else {
            out += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
        }
    }
    return out + (field.size() > longest ? "...'" : "'");
}

namespace {

/// Levenshtein distance: insertions, deletions and replacements of one byte.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::string nearest(std::string_view given, const std::vector<std::string>& allowed) {
    constexpr std::size_t longest = 64;
    if (given.size() > longest) return {};
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(2, given.size() / 3) + 1;
    for (const std::string& name : allowed) {
        const std::size_t distance = name.size() > longest ? longest : edit_distance(given, name);
        if (distance < best_distance) {
            best = name;
            best_distance = distance;
        }
    }
    return best;
}

}  // namespace rfbench::datasets
