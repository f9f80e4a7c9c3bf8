#pragma once
#include "rfbench/attention/inputs.hpp"

namespace rfbench::attention {

/// Nystrom attention (Xiong et al. 2021, "Nystromformer", (13)): with landmarks Q~, K~ the means of m segments of
/// queries and of kept keys, S(A, B) = softmax(A B' / sqrt d) by rows,
///
///     out = S(Q, K~) S(Q~, K~)^+ S(Q~, K) V.
///
/// Segment s of n tokens is floor(s n / m) .. floor((s + 1) n / m) - 1, m at most the number of queries or of kept
/// keys. The pseudo-inverse is computed from a complete orthogonal decomposition in double, singular values below m
/// times the precision of Scalar left out, where the paper iterates. Landmarks mix all tokens, so there is no causal
/// form. Queries that see no key get zeros and are counted. Throws as check() does, and unless m > 0.
template <class Scalar>
Outcome nystrom(Index landmarks, const Inputs<Scalar>& in, Rows<Scalar>& out);

}  // namespace rfbench::attention
