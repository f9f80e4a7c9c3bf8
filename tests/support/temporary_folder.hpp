#pragma once
// An empty folder for a test, and the bytes of files.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace rfbench::tests {

inline std::string bytes_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Writes a new file; file systems wait for the disk when an old one is cut to nothing and filled again.
inline void put_bytes(const std::filesystem::path& file, const std::string& bytes) {
    std::filesystem::remove(file);
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// Medium of a folder: the system's temporary files, or memory if there is such a place, for tests that would wait for
/// the disk hundreds of times. Nothing in memory can be executed.
enum class Medium { disk, memory };

/// An empty folder that goes, with all it holds, at the end of the test.
class TemporaryFolder {
public:
    explicit TemporaryFolder(Medium medium = Medium::disk) {
        const std::filesystem::path memory = "/dev/shm";
        const bool usable = medium == Medium::memory && access(memory.c_str(), W_OK | X_OK) == 0;
        std::string name = ((usable ? memory : std::filesystem::temp_directory_path()) / "rfbench-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder: " + name);
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    /// The path of a file in it, as text.
    std::string file(const std::string& name) const { return (path_ / name).string(); }
    /// Writes a file, and the folders above it, and gives its path.
    std::string write(const std::string& name, const std::string& bytes) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        put_bytes(path_ / name, bytes);
        return file(name);
    }
    /// The names of what is in it.
    std::vector<std::string> names() const {
        std::vector<std::string> list;
        for (const auto& entry : std::filesystem::directory_iterator(path_)) list.push_back(entry.path().filename());
        return list;
    }

private:
    std::filesystem::path path_;
};

}  // namespace rfbench::tests
