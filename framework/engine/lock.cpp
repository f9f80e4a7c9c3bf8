#include "rfbench/engine/lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

#include "rfbench/errors.hpp"

namespace rfbench::engine {
namespace {

// Process number that the holder wrote into the file.
std::string holder(int descriptor) {
    std::array<char, 32> text{};
    const auto length = pread(descriptor, text.data(), text.size(), 0);
    std::string digits;
    for (ssize_t i = 0; i < length && text[std::size_t(i)] >= '0' && text[std::size_t(i)] <= '9'; ++i)
        digits += text[std::size_t(i)];
    return digits.empty() ? "another process" : "process " + digits;
}

// Tries for a moment: is_held() has the lock that long.
bool lock(int descriptor) {
    constexpr int most = 5;
    for (int i = 1; flock(descriptor, LOCK_EX | LOCK_NB) != 0; ++i) {
        if (errno != EWOULDBLOCK || i == most) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
}

}  // namespace

// The number of its process is written into it: that may be no link to a file of somebody's.
Lock::Lock(const std::filesystem::path& file)
    : descriptor_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644)) {
    if (descriptor_ < 0)
        throw FileError(fmt::format("{}: cannot open the lock: {}", file.string(), std::strerror(errno)));
    // The lock is the open file's: the system lets it go with the process, and a file that is left behind locks
    // nothing.
    if (!lock(descriptor_)) {
        const int reason = errno;
        const std::string who = holder(descriptor_);
        close(descriptor_);
        if (reason == EWOULDBLOCK)
            throw FileError(
                fmt::format("{}: a run is at work here already ({}); wait for its end, stop it, "
                            "or choose another results folder",
                            file.parent_path().string(), who));
        throw FileError(fmt::format("{}: cannot lock: {}", file.string(), std::strerror(reason)));
    }
    // The number is for the message only: a failure to write it changes nothing.
    const std::string mine = std::to_string(getpid()) + "\n";
    if (ftruncate(descriptor_, 0) == 0 && pwrite(descriptor_, mine.data(), mine.size(), 0) < 0) errno = 0;
}

Lock::~Lock() {
    // Whoever looks later should find nobody named; that this may fail changes nothing.
    if (ftruncate(descriptor_, 0) < 0) errno = 0;
    close(descriptor_);
}

bool is_held(const std::filesystem::path& file) {
    const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) return false;
    const bool held = flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(descriptor);
    return held;
}

}  // namespace rfbench::engine
