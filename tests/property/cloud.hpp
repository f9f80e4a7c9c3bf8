#pragma once
#include "rfbench/matrix.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::tests {

/// n points with independent N(shift, scale^2) coordinates.
inline Points cloud(std::uint64_t seed, Index n, Index d, double scale, double shift = 0) {
    Stream stream(seed);
    Points points(n, d);
    for (Index i = 0; i < n; ++i)
        for (Index l = 0; l < d; ++l) points(i, l) = shift + scale * stream.normal();
    return points;
}

}  // namespace rfbench::tests
