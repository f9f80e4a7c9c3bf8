#pragma once
#include "rfbench/attention/masked_backward.hpp"

namespace rfbench::attention {

/// Softmax attention with a mask: out_i = sum_j w_ij v_j / sum_j w_ij, w_ij = mask(i, j) exp(q_i.k_j / sqrt d), which
/// is softmax attention whose scores have log mask(i, j) added (relative positions, Likhosherstov 2022, section 4.5.3).
/// All keys at once for a tile of queries: O(L^2) time, O(L) memory. A query that sees no key gets zeros and counts as
/// not positive. Throws as check() does, and when the mask is for another number of tokens.
template <class Scalar>
Outcome masked_exact(const ToeplitzMask& mask, const Inputs<Scalar>& in, Rows<Scalar>& out);

/// The gradients of sum_ij output_gradient_ij out_ij, of the mask's numbers too (0 for those that a causal mask hides).
/// Numbers that are zero have a gradient as others have; of a pair that they hide, whose score is more than 60 in
/// float, 600 in double, above all that its query sees, it is that of a score as much above them. Throws as
/// masked_exact(), and when output_gradient is not of the output's shape or not finite.
template <class Scalar>
Outcome masked_exact_backward(const ToeplitzMask& mask, const Inputs<Scalar>& in,
                              const RowsView<Scalar>& output_gradient, MaskedGradients<Scalar>& out);

}  // namespace rfbench::attention
