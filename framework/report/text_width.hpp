#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace rfbench::report {

/// Columns a UTF-8 text takes on a terminal: 2 for East Asian wide characters and emoji, 0 for combining marks and
/// zero-width characters, 1 otherwise. A byte that is not UTF-8 counts 1.
std::size_t display_width(std::string_view text);

}  // namespace rfbench::report
