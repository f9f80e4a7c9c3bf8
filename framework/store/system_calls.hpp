#pragma once
// The system calls by which the store writes. Tests replace them to see what a full disk or a broken one does.
#include <sys/types.h>

#include <cstddef>
#include <functional>

namespace rfbench::store {

/// Each behaves as the call of its name in POSIX: a negative result and errno tell of a failure.
struct SystemCalls {
    std::function<int(const char* path, int flags, mode_t mode)> open;
    std::function<ssize_t(int file, const void* bytes, std::size_t size)> write;
    std::function<int(int file)> fsync;
    std::function<int(int file)> close;
    std::function<int(int file, off_t size)> ftruncate;
    std::function<int(const char* from, const char* to)> rename;
    std::function<int(const char* path)> unlink;
};

/// The calls in force: those of the operating system unless replaced.
const SystemCalls& system_calls();

/// Puts other calls in force while it lives. For tests: not to be used while other threads write.
class ReplacedSystemCalls {
public:
    explicit ReplacedSystemCalls(SystemCalls);
    ~ReplacedSystemCalls();
    ReplacedSystemCalls(const ReplacedSystemCalls&) = delete;
    ReplacedSystemCalls& operator=(const ReplacedSystemCalls&) = delete;

private:
    SystemCalls before_;
};

}  // namespace rfbench::store
