#include "rfbench/products/emulated_tiles.hpp"

#include <cmath>
#include <limits>

#include "rfbench/products/bfloat16.hpp"

namespace rfbench::products {
namespace {

/// Zero, of its sign, for subnormal numbers. Those that come out are told by their value in float: a result just below
/// the smallest normal number which float rounds up to that is kept.
float flushed(float x) { return std::abs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0F, x) : x; }

/// Columns of a tile of B, even and odd rows apart.
struct Halves {
    float even[tile_pairs][tile_columns], odd[tile_pairs][tile_columns];
};

}  // namespace

void EmulatedTiles::multiply(unsigned char* sum, const unsigned char* a, const unsigned char* b) {
    float sums[tile_rows][tile_columns];
    std::uint16_t rows[tile_rows][2 * tile_pairs], pairs[tile_pairs][2 * tile_columns];
    std::memcpy(sums, sum, tile_bytes);
    std::memcpy(rows, a, tile_bytes);
    std::memcpy(pairs, b, tile_bytes);
    Halves factor;
    for (int k = 0; k < tile_pairs; ++k)
        for (int n = 0; n < tile_columns; ++n) {
            factor.even[k][n] = flushed(of_upper_half(pairs[k][2 * n]));
            factor.odd[k][n] = flushed(of_upper_half(pairs[k][2 * n + 1]));
        }
    for (int m = 0; m < tile_rows; ++m) {
        float even[tile_columns] = {}, odd[tile_columns] = {};
        for (int k = 0; k < tile_pairs; ++k) {
            const float first = flushed(of_upper_half(rows[m][2 * k]));
            const float second = flushed(of_upper_half(rows[m][2 * k + 1]));
            for (int n = 0; n < tile_columns; ++n) {
                even[n] = flushed(std::fma(first, factor.even[k][n], even[n]));
                odd[n] = flushed(std::fma(second, factor.odd[k][n], odd[n]));
            }
        }
        for (int n = 0; n < tile_columns; ++n) sums[m][n] = flushed(flushed(sums[m][n]) + flushed(even[n] + odd[n]));
    }
    std::memcpy(sum, sums, tile_bytes);
}

}  // namespace rfbench::products
