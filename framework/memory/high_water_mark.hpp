#pragma once
// How much memory a piece of work takes, counted and not sampled: this folder stands in for malloc in the programs that
// link it. It is no part of the library: nobody else's allocator is replaced.
#include <cstddef>
#include <cstdint>
#include <limits>

namespace rfbench::memory {

/// Follows the bytes that all threads of the process hold through malloc and its kin (and so new and Eigen's
/// matrices), as the allocator rounds them up, from its construction on. What was held before counts as nothing; thread
/// stacks and memory mapped without malloc are not seen. Allocations cost two atomic operations more while it lives.
class HighWaterMark {
public:
    static constexpr std::size_t unlimited = std::numeric_limits<std::int64_t>::max() / 2;

    /// While it lives, what would bring the bytes held above `max_bytes` is refused, as by a machine whose memory ends
    /// there; a sanitizer's allocator refuses nothing. Throws std::logic_error when another one is at work.
    explicit HighWaterMark(std::size_t max_bytes = unlimited);
    ~HighWaterMark();
    HighWaterMark(const HighWaterMark&) = delete;
    HighWaterMark& operator=(const HighWaterMark&) = delete;

    /// The most bytes held at once so far, beyond what was held at the beginning.
    std::size_t bytes() const;
};

}  // namespace rfbench::memory
