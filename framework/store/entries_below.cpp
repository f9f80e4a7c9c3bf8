#include "rfbench/store/entries_below.hpp"

#include <dirent.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "rfbench/store/error.hpp"

namespace rfbench::store {
namespace {

namespace fs = std::filesystem;

enum class IfGone { refuse, pass_over };

struct Close {
    void operator()(DIR* folder) const { closedir(folder); }
};

std::vector<fs::directory_entry> entries_of(const fs::path& folder, IfGone gone) {
    std::vector<fs::directory_entry> all;
    const std::unique_ptr<DIR, Close> open(opendir(folder.c_str()));
    if (!open && errno == ENOENT && gone == IfGone::pass_over) return all;
    const auto refuse = [&] {
        throw Error(fmt::format("cannot look into {}: {}", folder.string(), std::strerror(errno)));
    };
    if (!open) refuse();
    std::error_code unknown;  // of what goes away meanwhile
    while (true) {
        // At the end readdir returns what it returns of an error, and errno alone tells them apart.
        errno = 0;
        const dirent* const entry = readdir(open.get());
        if (entry == nullptr) break;
        const std::string name = entry->d_name;
        if (name != "." && name != "..") all.emplace_back(folder / name, unknown);
    }
    if (errno != 0) refuse();
    std::sort(all.begin(), all.end());
    return all;
}

void add_below(const fs::path& folder, IfGone gone, const fs::path& except, std::vector<fs::directory_entry>& all) {
    for (const fs::directory_entry& entry : entries_of(folder, gone)) {
        if (!except.empty() && entry.path() == except) continue;
        all.push_back(entry);
        // Links are listed and not followed: they may lead out of the folder, or in rings.
        if (fs::is_directory(entry.symlink_status())) add_below(entry.path(), IfGone::pass_over, except, all);
    }
}

}  // namespace

std::vector<fs::directory_entry> entries_below(const fs::path& folder, const fs::path& except) {
    std::vector<fs::directory_entry> all;
    add_below(folder, IfGone::refuse, except, all);
    return all;
}

std::vector<fs::directory_entry> entries_in(const fs::path& folder) { return entries_of(folder, IfGone::refuse); }

}  // namespace rfbench::store
