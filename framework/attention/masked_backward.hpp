#pragma once
#include "rfbench/attention/backward.hpp"
#include "rfbench/attention/masked.hpp"

namespace rfbench::attention {

/// Gradients with respect to the inputs, and to what the mask is made of.
template <class Scalar>
struct MaskedGradients : Gradients<Scalar> {
    Column<Scalar> numbers;  ///< of the mask's numbers(), in their order; masked_exact_backward() bounds those of zeros
};

/// The gradients of sum_ij output_gradient_ij out_ij, out being that of masked() (masked.hpp), which is computed again
/// on the way. With features phi(q_i), phi(k_j) of weights w_j and the gradients G_i, c_i of numerators and
/// denominators, b_ij = G_i.v_j + c_i:
///
///     by phi(q_i):   sum_j mask(i, j) b_ij w_j phi(k_j),
///     by phi(k_j):   w_j sum_i mask(i, j) b_ij phi(q_i),
///     by v_j:        w_j sum_i mask(i, j) phi(q_i).phi(k_j) G_i,
///     by psi(o):     sum over i - j = o of w_j phi(q_i).phi(k_j) b_ij, but 0 where a causal mask hides o.
///
/// dense: tiles of queries times all keys, O(L^2 (R + e)). fft: the first three are products with the mask or its
/// transpose, the last is a correlation, O(R e L log L). automatic: that of cheaper_path(). On the FFT path errors are
/// ulps of the largest tokens and columns, as in masked(). The bits do not depend on the number of threads. Throws as
/// masked() does, and when output_gradient is not of the output's shape or not finite, or the map has no gradient.
template <class Scalar>
MaskedOutcome masked_backward(const features::FeatureMap& map, const ToeplitzMask& mask, const Inputs<Scalar>& in,
                              const RowsView<Scalar>& output_gradient, MaskedGradients<Scalar>& out,
                              MaskPath path = MaskPath::automatic);

}  // namespace rfbench::attention
