#include "rfbench/store/system_calls.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace rfbench::store {
namespace {

SystemCalls& in_force() {
    static SystemCalls calls{
        [](const char* path, int flags, mode_t mode) { return ::open(path, flags, mode); },
        ::write,
        ::fsync,
        ::close,
        ::ftruncate,
        [](const char* from, const char* to) { return std::rename(from, to); },
        ::unlink,
    };
    return calls;
}

}  // namespace

const SystemCalls& system_calls() { return in_force(); }

ReplacedSystemCalls::ReplacedSystemCalls(SystemCalls calls) : before_(std::exchange(in_force(), std::move(calls))) {}

ReplacedSystemCalls::~ReplacedSystemCalls() { in_force() = std::move(before_); }

}  // namespace rfbench::store
