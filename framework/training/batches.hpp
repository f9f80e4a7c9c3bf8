#pragma once
#include <vector>

#include "rfbench/random/stream.hpp"

namespace rfbench::training {

/// Mini-batches: the numbers 0 .. count - 1 in a random order, drawn again for each epoch (Fisher and Yates).
class Batches {
public:
    /// Throws std::invalid_argument unless count > 0.
    Batches(Index count, const Stream&);

    /// Returns the next min(size, count) numbers. A batch may cross from one epoch into the next, and may then have a
    /// number twice.
    std::vector<Index> next(Index size);

private:
    void shuffle();

    std::vector<Index> order_;
    std::size_t next_;
    Stream stream_;
    std::uint64_t round_ = 0;
};

}  // namespace rfbench::training
