#pragma once
// A folder of results may come from anybody: nothing below it is written or removed through a symbolic link.
#include <filesystem>
#include <optional>

namespace rfbench::store {

/// The first symbolic link on the way from a folder to what is below it. The folder itself may be one, and how it is
/// reached; the last part counts. Empty where there is none.
std::optional<std::filesystem::path> link_below(const std::filesystem::path& folder, const std::filesystem::path& name);

/// Throws Error, naming the link, where there is one.
void require_no_link(const std::filesystem::path& folder, const std::filesystem::path& name);

}  // namespace rfbench::store
