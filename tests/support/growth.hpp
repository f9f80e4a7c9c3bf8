#pragma once
// How the cost of something grows with its size, in processor time: of a process that shares its machine, and of a slow
// machine, the same.
#include <algorithm>
#include <ctime>
#include <limits>

namespace rfbench::tests {

/// Processor seconds of work(large) over those of work(small), the least of three runs of each.
template <class Work>
double growth(std::size_t small, std::size_t large, Work work) {
    const auto seconds = [&](std::size_t size) {
        double least = std::numeric_limits<double>::infinity();
        for (int run = 0; run < 3; ++run) {
            const std::clock_t begin = std::clock();
            work(size);
            least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
        }
        return least;
    };
    const double first = seconds(small);
    return seconds(large) / first;
}

/// Eight times as much that takes eight times as long is linear, 64 times quadratic: the limit is between, as far from
/// both.
inline constexpr double linear_or_quadratic = 22.6;

}  // namespace rfbench::tests
