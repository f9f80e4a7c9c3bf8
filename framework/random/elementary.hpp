#pragma once
// Logarithm, sine and cosine from + - * / alone: the same bits on every processor and with every library, and loops
// over them vectorise. Accuracy: within 2 ulp (tests/random/elementary.cpp).
#include <bit>
#include <cstdint>

namespace rfbench::elementary {

/// An odd multiple of 2^-53 in (0, 1) from the upper 52 bits of a word.
inline double open_unit(std::uint64_t word) {
    return std::bit_cast<double>(0x3FF0000000000000u | (word >> 12)) - (1 - 0x1p-53);
}

/// log x for normal x > 0. With x = 2^k m, m in [sqrt 1/2, sqrt 2), f = m - 1 and s = f / (2 + f):
/// log m = 2 artanh s = f - (f^2/2 - s (f^2/2 + R)), R = 2 (s^2/3 + s^4/5 + ...), so that nothing cancels near 1.
inline double log(double x) {
    constexpr std::uint64_t sqrt_half = 0x3FE6A09E667F3BCD, exponent_mask = 0xFFF0000000000000;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x), offset = bits - sqrt_half;
    const double m = std::bit_cast<double>(bits - (offset & exponent_mask));

    // k + 1024 in the low bits of 2^52 is an exact conversion without instructions that only some processors have.
    const std::uint64_t biased = (offset + (std::uint64_t{1024} << 52)) >> 52;
    const double k = std::bit_cast<double>(0x4330000000000000u | biased) - (0x1p52 + 1024);

    const double f = m - 1, s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    double r = 2.0 / 23;
    r = 2.0 / 21 + z * r;
    r = 2.0 / 19 + z * r;
    r = 2.0 / 17 + z * r;
    r = 2.0 / 15 + z * r;
    r = 2.0 / 13 + z * r;
    r = 2.0 / 11 + z * r;
    r = 2.0 / 9 + z * r;
    r = 2.0 / 7 + z * r;
    r = 2.0 / 5 + z * r;
    r = z * (2.0 / 3 + z * r);

    // log 2 in two parts; k times the first is exact.
    constexpr double log2_high = 0x1.62e42fee00000p-1, log2_low = 0x1.a39ef35793c76p-33;
    return k * log2_high - ((half - (s * (half + r) + k * log2_low)) - f);
}

/// sin and cos of an angle in [0, pi/4], by their Taylor series (the first term left out is below 5e-17).
inline double sin_octant(double x) {
    const double z = x * x;
    double r = 1 / 1307674368000.0;
    r = 1 / 6227020800.0 - z * r;
    r = 1 / 39916800.0 - z * r;
    r = 1 / 362880.0 - z * r;
    r = 1 / 5040.0 - z * r;
    r = 1 / 120.0 - z * r;
    r = 1 / 6.0 - z * r;
    return x - x * (z * r);
}
inline double cos_octant(double x) {
    const double z = x * x;
    double r = 1 / 20922789888000.0;
    r = 1 / 87178291200.0 - z * r;
    r = 1 / 479001600.0 - z * r;
    r = 1 / 3628800.0 - z * r;
    r = 1 / 40320.0 - z * r;
    r = 1 / 720.0 - z * r;
    r = 1 / 24.0 - z * r;
    return 1 - (0.5 * z - z * (z * r));
}

}  // namespace rfbench::elementary
