#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace rfbench {

/// "1 column", "2 columns": of what has an s in the plural.
inline std::string counted(std::size_t count, std::string_view what) {
    return std::to_string(count) + ' ' + std::string(what) + (count == 1 ? "" : "s");
}

}  // namespace rfbench
