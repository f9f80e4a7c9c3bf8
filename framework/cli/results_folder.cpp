#include "results_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "rfbench/errors.hpp"

namespace rfbench::cli {

void require_writable(const std::filesystem::path& folder) {
    // The folders that are missing would be made in the nearest one that is there.
    std::error_code ignored;
    std::filesystem::path there = std::filesystem::absolute(folder).lexically_normal();
    while (!std::filesystem::exists(there, ignored) && there.has_relative_path()) there = there.parent_path();
    int reason = 0;
    if (!std::filesystem::is_directory(there, ignored))
        reason = ENOTDIR;
    else if (::access(there.c_str(), W_OK | X_OK) != 0)
        reason = errno;
    if (reason != 0)
        throw FileError(fmt::format(
            "files cannot be made in {} ({}), for {}; name a folder that you may write to: --results FOLDER",
            there.string(), std::generic_category().message(reason), folder.string()));
}

}  // namespace rfbench::cli
