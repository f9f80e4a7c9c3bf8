#include "rfbench/process/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "rfbench/errors.hpp"

namespace rfbench::process {

TemporaryFolder::TemporaryFolder() {
    std::error_code none;
    const std::filesystem::path all = std::filesystem::temp_directory_path(none);
    if (none) throw FileError("there is no folder for temporary files (TMPDIR): " + none.message());
    std::string name = (all / "rfbench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        throw FileError("a temporary folder cannot be made: " + name + ": " + std::strerror(errno));
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code stays;
    std::filesystem::remove_all(path_, stays);
}

}  // namespace rfbench::process
