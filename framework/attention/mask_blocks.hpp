#pragma once
#include <limits>

#include "rfbench/attention/toeplitz_mask.hpp"

namespace rfbench::attention {

/// The least 2^a 3^b 5^c that is not below `least`: transforms of such lengths are fast.
Index smooth_length(Index least);

/// The grid of a mask, cut into blocks along its first level.
struct MaskBlocks {
    std::size_t cut;            ///< the level that is cut: the first along which there is more than one token
    ToeplitzMask::Offset grid;  ///< of a block, padded along the other levels to products of twos, threes and fives
    Index count;

    Index points() const { return grid[0] * grid[1] * grid[2]; }  ///< N
    /// Circulant and skew-circulant matrices whose mean a block is: 2^(levels of more than one place).
    Index parts() const;
    /// The time of one product with the mask, in operations of a matrix product that take as long, by measured weights.
    /// Products of spectra grow with the number of blocks; an operation of a transform takes longer where blocks are
    /// longer.
    double operations() const;
};

/// The blocks that take the fewest operations, of `largest` points at most unless a row of the grid has more.
MaskBlocks mask_blocks(const ToeplitzMask&, Index largest = std::numeric_limits<Index>::max());

}  // namespace rfbench::attention
