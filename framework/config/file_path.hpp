#pragma once
#include <filesystem>
#include <functional>
#include <string>

#include "rfbench/config/value.hpp"

namespace rfbench::config {

/// The path that a text of a configuration says: relative to the folder of its file where there is such a file, else to
/// the working folder. What --set says is relative to the working folder. `file_of` is the part of it that is a path.
std::string file_path(
    const Value& text,
    const std::function<std::string(const std::string&)>& file_of = [](const std::string& path) { return path; });

/// The same of a file that must be there. Throws Error at the text's place, with both places that were looked at.
std::string existing_path(const Value& text);

}  // namespace rfbench::config
