#include "rfbench/sampling/cosine_rows.hpp"

#include <cmath>

namespace rfbench::sampling {
namespace {

/// cos(pi n / (4d)), with n reduced first.
double cosine(Index n, Index d) {
    return std::cos(M_PI * static_cast<double>(n % (8 * d)) / static_cast<double>(4 * d));
}

/// Entry (j, k) of transform number `type`: DCT-II, DCT-IV, DST-II, DST-IV. A sine is a cosine a quarter turn earlier.
double entry(Index type, Index d, Index j, Index k) {
    const double common = std::sqrt(2 / static_cast<double>(d));
    const Index quarter = 6 * d;  // of a turn of 8d, backwards
    switch (type) {
        case 0: return (j == 0 ? M_SQRT1_2 : 1) * common * cosine(2 * (2 * k + 1) * j, d);
        case 1: return common * cosine((2 * k + 1) * (2 * j + 1), d);
        case 2: return (j == d - 1 ? M_SQRT1_2 : 1) * common * cosine(2 * (2 * k + 1) * (j + 1) + quarter, d);
        default: return common * cosine((2 * k + 1) * (2 * j + 1) + quarter, d);
    }
}

}  // namespace

Vector cosine_direction(CosineSide side, Index d, Index m) {
    const Index type = m / d % 4, j = m % d;
    Vector direction(d);
    for (Index k = 0; k < d; ++k) direction[k] = side == CosineSide::rows ? entry(type, d, j, k) : entry(type, d, k, j);
    return direction;
}

}  // namespace rfbench::sampling
