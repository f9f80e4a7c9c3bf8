#pragma once
#include <string>
#include <string_view>

namespace rfbench::config {

/// The text on one line: control characters escaped, and nothing cut.
std::string on_one_line(std::string_view text);

}  // namespace rfbench::config
