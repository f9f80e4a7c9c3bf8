#include "rfbench/datasets/image.hpp"

#include <algorithm>

namespace rfbench::datasets {

namespace {

/// The length of the overlap of large pixel a with small pixel i, in 1/8 of a large pixel.
std::uint64_t overlap(std::size_t a, std::size_t i, std::size_t extent) {
    const std::size_t low = std::max(small_side * a, extent * i);
    const std::size_t high = std::min(small_side * (a + 1), extent * (i + 1));
    return high > low ? high - low : 0;
}

}  // namespace

std::array<std::uint64_t, small_pixels> area_sums(const std::uint8_t* image, std::size_t rows, std::size_t columns) {
    std::array<std::uint64_t, small_pixels> sums{};
    for (std::size_t i = 0; i < small_side; ++i) {
        for (std::size_t j = 0; j < small_side; ++j) {
            std::uint64_t& sum = sums[small_side * i + j];
            // Only large pixels that overlap the small one.
            for (std::size_t a = rows * i / small_side; small_side * a < rows * (i + 1); ++a) {
                for (std::size_t b = columns * j / small_side; small_side * b < columns * (j + 1); ++b) {
                    sum += overlap(a, i, rows) * overlap(b, j, columns) * image[a * columns + b];
                }
            }
        }
    }
    return sums;
}

}  // namespace rfbench::datasets
