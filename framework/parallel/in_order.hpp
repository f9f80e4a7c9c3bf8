#pragma once
#include <atomic>
#include <thread>

#include "rfbench/parallel/loop.hpp"

namespace rfbench::parallel {

/// Work that threads sharing a loop must do in the loop's order. OpenMP's `ordered` does the same, but in GCC's runtime
/// a thread keeps its turn until its iteration ends.
class InOrder {
public:
    /// Runs work() of iteration `number` after that of all earlier ones, from 0 on. The loop must be shared in_order.
    /// Throws Loop::Abandoned if an earlier iteration has thrown, since its turn would never end.
    template <class Work>
    void run(const Loop& loop, Index number, Work work) {
        // Spins, since putting a thread to sleep and waking it takes longer than the wait.
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
