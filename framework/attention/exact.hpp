#pragma once
#include "rfbench/attention/inputs.hpp"

namespace rfbench::attention {

/// Softmax attention (Vaswani et al. 2017; Likhosherstov 2022, (3.1)): out = softmax(Q K' / sqrt d) V over the keys a
/// query sees. Tiles of scores with running maxima (Milakov and Gimelshein 2018): O(L) memory. A query that sees no key
/// gets zeros and counts as not positive. Tiles run on the threads of the surrounding OpenMP settings; the bits do not
/// depend on their number. Throws as check() does.
template <class Scalar>
Outcome exact(const Inputs<Scalar>&, Visible, Rows<Scalar>& out);

}  // namespace rfbench::attention
