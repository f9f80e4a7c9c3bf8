#pragma once
// Shrinking grey images by exact area averaging.
#include <array>
#include <cstddef>
#include <cstdint>

namespace rfbench::datasets {

constexpr std::size_t small_side = 8;
constexpr std::size_t small_pixels = small_side * small_side;

/// The image in row-major order shrunk to 8 x 8, as integers: out[8 i + j] = sum over pixels (a, b) of w_ai w_bj
/// image[a, b], where w_ai is the length of the overlap of [8 a, 8 (a + 1)] with [rows i, rows (i + 1)], and w_bj the
/// same with columns. The weights of one small pixel add up to rows * columns and those of one large pixel to 64, so
/// out / (rows * columns) is the mean grey over the small pixel's area and sum(out) = 64 sum(image) exactly.
std::array<std::uint64_t, small_pixels> area_sums(const std::uint8_t* image, std::size_t rows, std::size_t columns);

}  // namespace rfbench::datasets
