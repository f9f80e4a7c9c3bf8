#pragma once
#include <filesystem>

namespace rfbench::cli {

/// Throws FileError with the folder, the system's reason and the remedy where this user cannot make files in
/// `folder`, which need not be there yet.
void require_writable(const std::filesystem::path& folder);

}  // namespace rfbench::cli
