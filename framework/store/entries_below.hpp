#pragma once
#include <filesystem>
#include <vector>

namespace rfbench::store {

/// All that is below a folder, `except` and what is below that left out, in the order of names, a folder before what it
/// has; links are not followed. Iterators of std::filesystem end the program where there is no
/// memory: this throws. Throws Error for a folder that cannot be read; one that goes away meanwhile had nothing.
std::vector<std::filesystem::directory_entry> entries_below(const std::filesystem::path& folder,
                                                            const std::filesystem::path& except = {});
/// The same without what is in its folders.
std::vector<std::filesystem::directory_entry> entries_in(const std::filesystem::path& folder);

}  // namespace rfbench::store
