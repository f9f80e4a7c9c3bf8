#pragma once
// Texts in letters of either case.
#include <algorithm>
#include <string_view>

namespace rfbench {

/// Whether two texts differ in the case of ASCII letters at most.
inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](char one, char other) { return lower(one) == lower(other); });
}

}  // namespace rfbench
