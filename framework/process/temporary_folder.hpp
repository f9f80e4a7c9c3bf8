#pragma once
#include <filesystem>

namespace rfbench::process {

/// An empty folder of this process among the system's temporary files (TMPDIR); it goes with all that is in it.
class TemporaryFolder {
public:
    /// Throws FileError where none can be made.
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }  ///< of the folder, absolute

private:
    std::filesystem::path path_;
};

}  // namespace rfbench::process
