#pragma once
#include "rfbench/products/panels.hpp"

namespace rfbench::experiments {

/// Estimate of the peak bytes of a map with `draws` omegas, d = dimension, while it is made and evaluated at a few
/// rows. Terms for each omega:
///
///     2 d doubles for the draw and a copy of it;
///     1.5 sides, since exponential maps have two (queries, keys) and trigonometric maps one. A side has its weights as
///     given, packed for products in double and in float, and packed again transposed, d padded to whole panels;
///     20 doubles for evaluated rows and terms of a column.
inline double map_bytes(Index dimension, Index draws) {
    const auto d = static_cast<double>(dimension);
    const auto wide = static_cast<double>(products::Panels<double>::padded(dimension));
    const auto narrow = static_cast<double>(products::Panels<float>::padded(dimension));
    const double side = d + (d + wide) + 0.5 * (d + narrow);
    return (2 * d + 1.5 * side + 20) * static_cast<double>(draws) * sizeof(double);
}

}  // namespace rfbench::experiments
