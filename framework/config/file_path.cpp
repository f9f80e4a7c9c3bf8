#include "rfbench/config/file_path.hpp"

#include <fmt/format.h>

#include "rfbench/config/value_content.hpp"

namespace rfbench::config {

namespace {

/// The path in the folder of the configuration's file; empty where it is absolute or no file says it.
std::filesystem::path beside(const Value& text) {
    const auto& source = text.content().place.source;
    // A --set argument has no lines.
    if (!source || !source->has_lines) return {};
    const std::filesystem::path own = text.text(), folder = std::filesystem::path(source->name).parent_path();
    return own.is_absolute() || folder.empty() ? std::filesystem::path() : folder / own;
}

}  // namespace

std::string file_path(const Value& text, const std::function<std::string(const std::string&)>& file_of) {
    const std::filesystem::path path = beside(text);
    std::error_code ignored;
    if (!path.empty() && std::filesystem::exists(file_of(path.string()), ignored)) return path.string();
    return text.text();
}

std::string existing_path(const Value& text) {
    const std::string path = file_path(text), other = beside(text).string();
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return path;
    text.refuse(fmt::format("{}: there is no such file{}", path,
                            other.empty() ? "" : fmt::format(", nor {}, in this configuration's folder", other)));
}

}  // namespace rfbench::config
