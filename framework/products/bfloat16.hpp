#pragma once
// bfloat16: the upper half of a float, 8 significant bits.
#include <bit>
#include <cstdint>

namespace rfbench::products {

/// x rounded to bfloat16, to nearest even, as a float. From 2^128 (1 - 2^-9) on it is infinite; NaN stays NaN.
inline float rounded_to_bfloat16(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
    // A carry from the lower half would make a number of NaN.
    const std::uint32_t kept = (bits | 0x00400000) & 0xffff0000;
    return std::bit_cast<float>((bits & 0x7fffffff) > 0x7f800000 ? kept : rounded);
}

/// The number of its upper half, of a float that rounded_to_bfloat16() gave.
inline std::uint16_t upper_half(float x) { return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x) >> 16); }

/// The float whose upper half this is.
inline float of_upper_half(std::uint16_t half) { return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16); }

}  // namespace rfbench::products
