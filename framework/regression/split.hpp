#pragma once
#include <vector>

#include "rfbench/matrix.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::regression {

/// Row numbers, each of 0 .. n - 1 in one of the parts.
struct Split {
    std::vector<Index> training, validation, test;  ///< in random order
};

/// A uniformly random split (Fisher and Yates 1938): floor(0.9 n) training rows, half of the rest, rounded down, for
/// validation and the others for testing (Likhosherstov 2022, 6.6.2). Throws std::invalid_argument for n < 20, where a
/// part would be empty.
Split split_rows(Index n, Stream stream);

}  // namespace rfbench::regression
