#pragma once
#include "rfbench/attention/inputs.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::attention {

/// E, k x L' with independent N(0, 1/k) entries. Column j depends on the stream, on k and on j only: a shorter sequence
/// has the first columns. Throws std::invalid_argument unless k > 0 and L' >= 0.
Projections random_compression(Index k, Index keys, const Stream&);

/// Linformer (Wang et al. 2020; Likhosherstov 2022, section 3.7, with 1_k and R^(L x k) where 1_K and R^(L x K) are
/// printed): out = softmax(Q (E K)' / sqrt d) (E V). Padding adds nothing to E K and E V. Every query sees mixtures of
/// all keys, so there is no causal form. Queries see no key when all are padding: zeros, counted as exact() counts
/// them. Throws as check() does, and when E has fewer columns than there are keys, no rows, or an entry that is not
/// finite in Scalar.
template <class Scalar>
Outcome linformer(const Projections& compression, const Inputs<Scalar>& in, Rows<Scalar>& out);

}  // namespace rfbench::attention
