#pragma once
#include <vector>

#include "rfbench/random/stream.hpp"

namespace rfbench::training {

/// Mini-batches: the numbers 0 .. count - 1 in a random order, drawn anew each time round (Fisher and Yates).
class Batches {
public:
    /// Throws std::invalid_argument unless count > 0.
    Batches(Index count, const Stream&);

    /// The next `size` numbers, or all when there are fewer. A batch goes on into the next round where one ends.
    std::vector<Index> next(Index size);

private:
    void shuffle();

    std::vector<Index> order_;
    std::size_t next_;
    Stream stream_;
    std::uint64_t round_ = 0;
};

}  // namespace rfbench::training
