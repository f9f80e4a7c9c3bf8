#pragma once
// Slices of a sequence by which a gradient is made in the memory of one of them (Likhosherstov 2022, chapter 5).
#include <limits>

#include "rfbench/matrix.hpp"

namespace rfbench::networks {

/// Way in which the backward sweep recovers the sums before a slice.
enum class Recovery {
    /// Recomputation from the last stored sums before the slice: exact.
    checkpoints,
    /// Subtraction of the slice's own sums from those after it, in the precision of the network (Algorithm 6, whose
    /// minus sign is missing in print: erratum 21). Exact but for rounding.
    subtraction,
    /// As `subtraction`, with sums that are kept in double.
    double_sums,
};

/// How a sequence is cut, and how states before its slices are had again (Likhosherstov 2022, Algorithms 5 and 6).
struct Slicing {
    Index tokens = 0;                           ///< E of a slice, from 1 to the length of the sequence
    Recovery recovery = Recovery::checkpoints;  ///< how states before a slice are had again
    Index checkpoints = 0;                      ///< spread over the P slices, 1 to P; 0: sqrt(P), rounded up
    double bytes = std::numeric_limits<double>::infinity();  ///< that stored states may take

    bool operator==(const Slicing&) const = default;
};

}  // namespace rfbench::networks
