#pragma once
#include "rfbench/attention/inputs.hpp"
#include "rfbench/attention/toeplitz_mask.hpp"
#include "rfbench/features/feature_map.hpp"

namespace rfbench::attention {

/// How a mask is applied. dense: tiles of estimates times tiles of the mask, O(L^2 (R + e)). fft: products with the
/// mask by FFTs of blocks of tokens (mask_product.hpp), O(R e L log L). automatic: the one cheaper_path() names.
enum class MaskPath { automatic, dense, fft };

/// The path that takes less time for R feature columns and e value columns: a product with the mask for each feature, R
/// rounded up to whole registers, and pair of columns (MaskBlocks::operations), or the 2 L^2 (R + e) operations of
/// tiles, half of them when it is causal.
template <class Scalar>
MaskPath cheaper_path(const ToeplitzMask&, Index columns, Index value_columns);

/// Throws std::invalid_argument when the mask is for another number of tokens.
template <class Scalar>
void check_mask(const ToeplitzMask&, const Inputs<Scalar>&);

/// Counts of output rows, and the path that was taken.
struct MaskedOutcome : Outcome {
    MaskPath path;  ///< the one taken: dense or fft
};

/// Masked linear attention (Likhosherstov 2022, (4.11)-(4.12), Algorithm 4): out_i = sum_j mask(i, j) K^(q_i, k_j) v_j
/// / sum_j mask(i, j) K^(q_i, k_j), with K^ the estimate of `map`. Queries, keys and mask have the same length.
///
/// A causal mask hides later tokens: on the dense path they leave no trace in the bits of earlier outputs (but for
/// underflow where log scales in a tile differ by the whole range of Scalar); on the FFT path those of a token's own
/// block leave rounding errors, which count where a row's own weights are small beside the largest: there a denominator
/// may come out not positive. Throws as check() does, when the lengths differ, and when the map has no columns.
template <class Scalar>
MaskedOutcome masked(const features::FeatureMap& map, const ToeplitzMask& mask, const Inputs<Scalar>& in,
                     Rows<Scalar>& out, MaskPath path = MaskPath::automatic);

}  // namespace rfbench::attention
