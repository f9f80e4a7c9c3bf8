#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace rfbench::engine {

/// Writes the SHA256SUMS of a folder anew: of these files, in it or beside it.
void write_sums(const std::filesystem::path& folder, const std::vector<std::filesystem::path>& files);

/// In that list these files, as they are, take the place of all that were listed in a folder `part` of the folder.
void list_sums(const std::filesystem::path& folder, const std::string& part,
               const std::vector<std::filesystem::path>& files);

}  // namespace rfbench::engine
