#pragma once
#include <atomic>
#include <thread>

#include "rfbench/parallel/loop.hpp"

namespace rfbench::parallel {

/// Work that threads sharing a loop must do in the loop's order. OpenMP's `ordered` does the same, but in GCC's runtime
/// a thread keeps its turn until its iteration ends.
class InOrder {
public:
    /// Runs work() after those of all smaller numbers, 0 being first, which are iterations of a loop shared in_order.
    /// Throws Loop::Abandoned where an earlier iteration has thrown, whose turn would never end.
    template <class Work>
    void run(const Loop& loop, Index number, Work work) {
        // Sleeping and waking take longer than a turn is away.
        while (next_.load(std::memory_order_acquire) != number) {
            if (loop.failed_before(number)) throw Loop::Abandoned();
            std::this_thread::yield();
        }
        work();
        next_.store(number + 1, std::memory_order_release);
    }

private:
    std::atomic<Index> next_ = 0;
};

}  // namespace rfbench::parallel
