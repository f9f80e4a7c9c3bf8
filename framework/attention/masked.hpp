#pragma once
#include "rfbench/attention/inputs.hpp"
#include "rfbench/attention/toeplitz_mask.hpp"
#include "rfbench/features/feature_map.hpp"

namespace rfbench::attention {

/// How a mask is applied. dense: tiles of estimates times tiles of the mask, O(L^2 (R + e)). fft: O(R e N log N),
/// through circulant products (mask_product.hpp). automatic: the one cheaper_path() names.
enum class MaskPath { automatic, dense, fft };

/// The path that takes less time for R feature columns and e value columns: FFTs do 5 R (e + 1) N log2 N operations at
/// a sixth of the rate at which tiles do 2 L^2 (R + e), half of that when the mask is causal.
MaskPath cheaper_path(const ToeplitzMask&, Index columns, Index value_columns);

struct MaskedOutcome : Outcome {
    MaskPath path;  ///< the one taken: dense or fft
};

/// Masked linear attention (Likhosherstov 2022, (4.11)-(4.12), Algorithm 4): out_i = sum_j mask(i, j) K^(q_i, k_j) v_j
/// / sum_j mask(i, j) K^(q_i, k_j), with K^ the estimate of `map`. Queries, keys and mask have the same length.
///
/// A causal mask hides later tokens: on the dense path they leave no trace in the bits of earlier outputs (but for
/// underflow where log scales in a tile differ by the whole range of Scalar); on the FFT path they leave rounding
/// errors, which count where a row's own weights are small beside the largest: there a denominator may come out not
/// positive. Throws as check() does, when the lengths differ, and when the map has no columns.
template <class Scalar>
MaskedOutcome masked(const features::FeatureMap& map, const ToeplitzMask& mask, const Inputs<Scalar>& in,
                     Rows<Scalar>& out, MaskPath path = MaskPath::automatic);

}  // namespace rfbench::attention
