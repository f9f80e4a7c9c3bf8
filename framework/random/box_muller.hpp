#pragma once
// Two independent N(0, 1) from two words (Box and Muller 1958): r cos a and r sin a, r = sqrt(-2 log u), a uniform on
// the circle. u >= 2^-53, so that lengths reach 8.57; P(r > x) = exp(-x^2/2) to within 2^-52, absolutely.
#include <bit>
#include <cstdint>

#include "rfbench/random/elementary.hpp"

namespace rfbench::box_muller {

struct Pair {
    double first, second;
};

/// r^2.
inline double squared_radius(std::uint64_t word) { return -2 * elementary::log(elementary::open_unit(word)); }

/// (r cos a, r sin a). The angle is drawn in the first octant; three spare bits of the word reflect it into the others,
/// so that neither coordinate loses accuracy near zero, and neither is ever zero.
inline Pair turned(double r, std::uint64_t word) {
    constexpr double quarter_pi = 0x1.921fb54442d18p-1;
    const double angle = quarter_pi * elementary::open_unit(word);
    const double s = r * elementary::sin_octant(angle), c = r * elementary::cos_octant(angle);

    const std::uint64_t sin_bits = std::bit_cast<std::uint64_t>(s), cos_bits = std::bit_cast<std::uint64_t>(c);
    const std::uint64_t swap = (0 - (word & 1)) & (sin_bits ^ cos_bits);
    return {std::bit_cast<double>(cos_bits ^ swap ^ (word & 2) << 62),
            std::bit_cast<double>(sin_bits ^ swap ^ (word & 4) << 61)};
}

}  // namespace rfbench::box_muller
