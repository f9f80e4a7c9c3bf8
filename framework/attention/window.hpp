#pragma once
// Softmax attention to the keys that are near, and to the first ones.
#include "rfbench/attention/backward.hpp"
#include "rfbench/attention/decoding.hpp"
#include "rfbench/attention/inputs.hpp"

namespace rfbench::attention {

/// Keys that a query at position i sees, beside the first `sinks` (Xiao et al. 2024, StreamingLLM): causally the last
/// `width`, i - width + 1 .. i, and otherwise those no further than width / 2, rounded down, on either side (Beltagy et
/// al. 2020, Longformer). Sinks after a causal query are not seen.
struct Window {
    Index width = 64;  ///< keys, > 0
    Index sinks = 0;   ///< keys, >= 0

    /// First key of the window of query i.
    Index begin(Index i, Visible visible) const;
    /// One after the last key of the window of query i, in a sequence of `length` tokens.
    Index end(Index i, Index length, Visible visible) const;
};

/// Throws std::invalid_argument unless the width is positive and the sinks are not negative.
void check(const Window&);

/// out = softmax(Q K' / sqrt d) V over those keys, in O(L (width + sinks) (d + e)) time. A query that sees no key gets
/// zeros and counts as not positive. The bits do not depend on the number of threads. Throws as check(),
/// check_scores(), and std::invalid_argument for other numbers of queries than of keys.
template <class Scalar>
Outcome window(const Window&, const Inputs<Scalar>&, Visible, Rows<Scalar>& out);

/// The gradients of sum_ij output_gradient_ij out_ij; weights are made again in tiles. Throws as window(), and when
/// output_gradient is not of the output's shape or not finite.
template <class Scalar>
void window_backward(const Window&, const Inputs<Scalar>&, Visible, const RowsView<Scalar>& output_gradient,
                     Gradients<Scalar>&);

/// The same attention a token at a time: keys and values of the sinks and of the last `width` tokens are all that is
/// remembered. Throws std::invalid_argument unless d and e are positive.
template <class Scalar>
std::unique_ptr<Decoder<Scalar>> window_decoder(const Window&, Index dimension, Index value_columns);

}  // namespace rfbench::attention
