#include "rfbench/store/links.hpp"

#include <fmt/format.h>

#include <system_error>

#include "rfbench/store/error.hpp"

namespace rfbench::store {

namespace fs = std::filesystem;

std::optional<fs::path> link_below(const fs::path& folder, const fs::path& name) {
    fs::path at = folder;
    for (const fs::path& part : name) {
        at /= part;
        std::error_code gone;
        if (fs::is_symlink(fs::symlink_status(at, gone))) return at;
    }
    return std::nullopt;
}

void require_no_link(const fs::path& folder, const fs::path& name) {
    if (const auto link = link_below(folder, name))
        throw Error(
            fmt::format("{} is a symbolic link, and nothing below {} is written through one; put a folder or a "
                        "file in its place",
                        link->string(), folder.string()));
}

}  // namespace rfbench::store
