#pragma once
// Numbers in messages.
#include <array>
#include <charconv>
#include <cmath>
#include <string>

namespace rfbench {

/// The shortest text that reads back as the same number: 0.1, 1e-09, -2.5e+300; inf, -inf and nan.
inline std::string shortest_text(double value) {
    if (std::isnan(value)) return "nan";
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace rfbench
