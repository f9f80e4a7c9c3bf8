#pragma once
#include "rfbench/attention/backward.hpp"
#include "rfbench/attention/lsh.hpp"

namespace rfbench::attention {

/// The gradients of sum output_gradient . out, with `out` as lsh() gave it and buckets held fixed: hashes have no
/// slope. Where queries are the keys, theirs have both parts, through q / |q|, and the inputs' keys have none. A query
/// that met no key sends nothing and counts as left out. Time is that of the pairs that meet, one after the other.
/// Throws as lsh() does, and as check_gradients().
template <class Scalar>
void lsh_backward(const Hashing&, const Inputs<Scalar>& in, Visible, const Rows<Scalar>& out,
                  const RowsView<Scalar>& output_gradient, Gradients<Scalar>&);

}  // namespace rfbench::attention
