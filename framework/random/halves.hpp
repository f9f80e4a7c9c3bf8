#pragma once
#include <cstdint>

namespace rfbench {

/// The lower and the upper half of 64 bits.
constexpr std::uint32_t low_half(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high_half(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

}  // namespace rfbench
