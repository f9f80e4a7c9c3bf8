#pragma once
#include "rfbench/matrix.hpp"

namespace rfbench::experiments {

/// About the bytes of a map of so many omegas of dimension d that is evaluated at a few rows. An exponential map has a
/// side for queries and one for keys: each keeps its weights as given, and twice laid out for products in double and in
/// float, 4 d M doubles, and some 45 doubles a column for the rows that are evaluated. Trigonometric maps have one side
/// for both, and discrete ones less.
inline double map_bytes(Index dimension, Index draws) {
    return 8.0 * (static_cast<double>(dimension) + 11) * static_cast<double>(draws) * sizeof(double);
}

}  // namespace rfbench::experiments
