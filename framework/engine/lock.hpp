#pragma once
// One run at a time in a folder. The lock goes with the process that holds it, however that process ends.
#include <filesystem>

namespace rfbench::engine {

class Lock {
public:
    /// Creates the file where needed and locks it. Throws FileError, naming the file and the process that
    /// holds it, when another one does, or when the file cannot be opened.
    explicit Lock(const std::filesystem::path& file);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    int descriptor_;
};

/// Whether a process that lives holds a lock.
bool is_held(const std::filesystem::path& file);

}  // namespace rfbench::engine
