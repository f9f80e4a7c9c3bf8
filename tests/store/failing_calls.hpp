#pragma once
#include <cerrno>
#include <map>
#include <memory>
#include <string>

#include "rfbench/store/system_calls.hpp"

/// Calls of the operating system that are counted by name, and one of which can be made to fail.
class FailingCalls {
public:
    /// Lets the call number `turn` (from 1) of a name fail with a code; turn 0 only counts.
    FailingCalls(const std::string& name, int turn, int code)
        : plan_(std::make_shared<Plan>(Plan{name, turn, code, {}})) {}

    int count(const std::string& name) const { return plan_->counts[name]; }

    rfbench::store::SystemCalls table() const {
        const rfbench::store::SystemCalls& real = rfbench::store::system_calls();  // copied into each call below
        const auto plan = plan_;
        rfbench::store::SystemCalls calls;
        calls.open = [=](const char* path, int flags, mode_t mode) {
            return plan->fails("open") ? -1 : real.open(path, flags, mode);
        };
        calls.write = [=](int file, const void* bytes, std::size_t size) -> ssize_t {
            return plan->fails("write") ? -1 : real.write(file, bytes, size);
        };
        calls.fsync = [=](int file) { return plan->fails("fsync") ? -1 : real.fsync(file); };
        calls.close = [=](int file) {
            const int result = real.close(file);
            return plan->fails("close") ? -1 : result;
        };
        calls.ftruncate = [=](int file, off_t size) {
            return plan->fails("ftruncate") ? -1 : real.ftruncate(file, size);
        };
        calls.rename = [=](const char* from, const char* to) {
            return plan->fails("rename") ? -1 : real.rename(from, to);
        };
        calls.unlink = [=](const char* path) { return plan->fails("unlink") ? -1 : real.unlink(path); };
        return calls;
    }

private:
    struct Plan {
        std::string name;
        int turn, code;
        std::map<std::string, int> counts;

        bool fails(const std::string& called) {
            if (++counts[called] != turn || called != name) return false;
            errno = code;
            return true;
        }
    };
    std::shared_ptr<Plan> plan_;
};
