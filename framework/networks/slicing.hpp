#pragma once
// Slices of a sequence by which a gradient is made in the memory of one of them (Likhosherstov 2022, chapter 5).
#include <limits>

#include "rfbench/matrix.hpp"

namespace rfbench::networks {

/// How the sums before a slice are had again by those who go backwards from slice to slice.
enum class Recovery {
    /// From some that were stored on the way, going forwards again from there: exact.
    checkpoints,
    /// From those after the slice its own are subtracted, in the precision of the network: Algorithm 6, where the minus
    /// sign is missing in print (erratum 21). Exact on paper.
    subtraction,
    /// The same of sums that are kept in double.
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
