#pragma once
// Masks without symmetries, and how far rounding may move products with them.
#include <cmath>
#include <string>
#include <vector>

#include "rfbench/attention/mask_blocks.hpp"
#include "rfbench/attention/toeplitz_mask.hpp"
#include "rfbench/random/stream.hpp"

using MaskShape = std::vector<rfbench::Index>;

inline std::string text(const MaskShape& shape) {
    std::string all;
    for (const rfbench::Index length : shape) all += (all.empty() ? "" : " x ") + std::to_string(length);
    return all;
}

/// No symmetry, no smoothness: every offset has its own weight.
inline double arbitrary(const rfbench::attention::ToeplitzMask::Offset& offset) {
    rfbench::Stream stream = rfbench::Stream(5)
                                 .child(static_cast<std::uint64_t>(1000 + offset[0]))
                                 .child(static_cast<std::uint64_t>(1000 + offset[1]))
                                 .child(static_cast<std::uint64_t>(1000 + offset[2]));
    return stream.uniform();
}

/// Rounding of a product of psi, in these blocks, with a vector of this 2-norm: each of three transforms is off by less
/// than 4 eps log2 N of its 2-norm (Higham 2002, section 24.1), twists and factors by 4 eps, and blocks are summed one
/// after the other. Every offset is in two blocks; a spectrum is nowhere above its sequence's 1-norm.
inline double product_error(const rfbench::attention::ToeplitzMask& mask, const rfbench::attention::MaskBlocks& blocks,
                            double norm, double epsilon) {
    using rfbench::Index;
    const auto& n = mask.lengths();
    double one = 0, squares = 0;
    for (Index a = 1 - n[0]; a < n[0]; ++a)
        for (Index b = 1 - n[1]; b < n[1]; ++b)
            for (Index c = 1 - n[2]; c < n[2]; ++c) {
                const double entry = mask.at({a, b, c});
                one += entry;
                squares += entry * entry;
            }
    const double points = static_cast<double>(blocks.points()), length = static_cast<double>(mask.length());
    return (3 * 4 * (std::log2(points) + 1) + 4 + static_cast<double>(blocks.count)) * epsilon *
           (2 * one + std::sqrt(2 * squares * length)) * norm;
}
