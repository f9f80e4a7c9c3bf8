#pragma once
#include "rfbench/products/panels.hpp"

namespace rfbench::experiments {

/// About the bytes of a map of so many omegas of dimension d that is evaluated at a few rows, while it is made. Beside
/// the draw and a copy of it, a side keeps its weights as given, and twice laid out for products in double and in
/// float: as they are, and transposed, where d coordinates take the room of whole panels, which are the wider the
/// longer a processor's registers are. Exponential maps have a side for queries and one for keys, trigonometric ones a
/// single side; one and a half are in between. Rows that are evaluated, and terms of a column, are some twenty doubles
/// a column.
inline double map_bytes(Index dimension, Index draws) {
    const auto d = static_cast<double>(dimension);
    const auto wide = static_cast<double>(products::Panels<double>::padded(dimension));
    const auto narrow = static_cast<double>(products::Panels<float>::padded(dimension));
    const double side = d + (d + wide) + 0.5 * (d + narrow);
    return (2 * d + 1.5 * side + 20) * static_cast<double>(draws) * sizeof(double);
}

}  // namespace rfbench::experiments
