#pragma once
#include <atomic>

#include "rfbench/matrix.hpp"

namespace rfbench::attention {

/// What threads that share a loop must do in its order. OpenMP's `ordered` says the same, but in GCC's runtime a thread
/// keeps its turn until its iteration ends.
class Turns {
public:
    /// Runs work() after those of all smaller numbers, 0 being first. Threads must take numbers in their order:
    /// schedule(monotonic : dynamic).
    template <class Work>
    void take(Index number, Work work) {
        const int own = static_cast<int>(number);
        for (int now; (now = next_.load(std::memory_order_acquire)) != own;) next_.wait(now, std::memory_order_acquire);
        work();
        next_.store(own + 1, std::memory_order_release);
        next_.notify_all();
    }

private:
    std::atomic<int> next_ = 0;
};

}  // namespace rfbench::attention
