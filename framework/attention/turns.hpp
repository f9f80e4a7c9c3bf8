#pragma once
#include <atomic>
#include <thread>

#include "rfbench/matrix.hpp"

namespace rfbench::attention {

/// Work that threads sharing a loop must do in the loop's order. OpenMP's `ordered` does the same, but in GCC's runtime
/// a thread keeps its turn until its iteration ends.
class Turns {
public:
    /// Runs work() after those of all smaller numbers, 0 being first. Threads must take numbers in their order:
    /// schedule(monotonic : dynamic).
    template <class Work>
    void take(Index number, Work work) {
        // Sleeping and waking take longer than a turn is away.
        while (next_.load(std::memory_order_acquire) != number) std::this_thread::yield();
        work();
        next_.store(number + 1, std::memory_order_release);
    }

private:
    std::atomic<Index> next_ = 0;
};

}  // namespace rfbench::attention
