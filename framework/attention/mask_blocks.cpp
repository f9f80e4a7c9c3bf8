#include "rfbench/attention/mask_blocks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace rfbench::attention {
namespace {

/// Time of a transform's operation over that of a matrix product: long transforms leave the second-level cache.
double transform_operation(double points) { return points <= 2048 ? 1.2 : points <= 4096 ? 1.3 : 1.5; }

}  // namespace

Index smooth_length(Index least) {
    for (Index size = least;; ++size) {
        Index rest = size;
        for (const Index prime : {2, 3, 5})
            while (rest % prime == 0) rest /= prime;
        if (rest == 1) return size;
    }
}

Index MaskBlocks::parts() const {
    return Index{1} << std::count_if(grid.begin(), grid.end(), [](Index length) { return length > 1; });
}

double MaskBlocks::operations() const {
    // For each part and block: two transforms of 5 N log2 N operations, a product of spectra with every block, and
    // factors and sums of all entries. Measured: a complex multiply-add of spectra takes 12, an entry's factors and
    // sums 86.
    const double n = static_cast<double>(points()), blocks = static_cast<double>(count);
    const double transforms = transform_operation(n) * 10 * std::log2(std::max(2.0, n));
    return static_cast<double>(parts()) * blocks * n * (transforms + 12 * blocks + 86);
}

MaskBlocks mask_blocks(const ToeplitzMask& mask, Index largest) {
    MaskBlocks best{0, {}, 1};
    while (best.cut < 2 && mask.lengths()[best.cut] <= 1) ++best.cut;
    for (std::size_t level = 0; level < 3; ++level)
        best.grid[level] = smooth_length(std::max<Index>(1, mask.lengths()[level]));
    // Halving the blocks' length makes transforms cheaper and products of spectra dearer: all powers of two are tried.
    // While a block has more than `largest` points, the shorter one is taken whatever it costs.
    const Index rows = best.grid[best.cut];
    for (auto own = std::bit_floor(static_cast<std::size_t>(rows)); own > 0; own /= 2) {
        MaskBlocks next = best;
        next.grid[best.cut] = static_cast<Index>(own);
        next.count = std::max<Index>(1, (mask.lengths()[best.cut] + next.grid[best.cut] - 1) / next.grid[best.cut]);
        if (best.points() > largest || next.operations() < best.operations()) best = next;
    }
    return best;
}

}  // namespace rfbench::attention
