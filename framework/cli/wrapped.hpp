#pragma once
#include <string>

namespace rfbench::cli {

/// The text with every line broken at spaces so that it has at most `width` characters, where words allow. What goes on
/// is indented as its line and by `hanging` more.
std::string wrapped(const std::string& text, std::size_t hanging = 2, std::size_t width = 100);

}  // namespace rfbench::cli
