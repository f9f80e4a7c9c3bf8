#include "rfbench/parallel/loop.hpp"

#include <algorithm>
#include <utility>

namespace rfbench::parallel {

// A team of one thread would take longer to make than a small iteration.
Loop::Loop(Index count, Share share, int threads)
    : count_(count),
      share_(share),
      threads_(omp_in_parallel() ? 1 : static_cast<int>(std::min<Index>(threads, count > 1 ? threads : 1))) {}

void Loop::keep(Index i, std::exception_ptr failure) noexcept {
#pragma omp critical(rfbench_parallel_failure)
    if (i < first_failed_.load(std::memory_order_relaxed)) {
        failure_ = std::move(failure);
        first_failed_.store(i, std::memory_order_release);
    }
}

}  // namespace rfbench::parallel
