#pragma once
#include "rfbench/attention/backward.hpp"
#include "rfbench/attention/inputs.hpp"
#include "rfbench/products/arithmetic.hpp"

namespace rfbench::attention {

/// Softmax attention (Vaswani et al. 2017; Likhosherstov 2022, (3.1)): out = softmax(Q K' / sqrt d) V over the keys a
/// query sees. Tiles of scores with running maxima (Milakov and Gimelshein 2018): O(L) memory. A query that sees no key
/// gets zeros and counts as not positive. Tiles run on the threads of the surrounding OpenMP settings; the bits do not
/// depend on their number. Products of float are formed as `arithmetic` says. Throws as check() and products::check()
/// do.
template <class Scalar>
Outcome exact(const Inputs<Scalar>&, Visible, Rows<Scalar>& out, const products::Arithmetic& arithmetic = {});

/// The same, with what exact_backward() needs: log_sums_i = log sum_j exp(q_i.k_j / sqrt d) over the keys that query i
/// sees, infinity where it sees none.
template <class Scalar>
Outcome exact(const Inputs<Scalar>&, Visible, Rows<Scalar>& out, Column<Scalar>& log_sums,
              const products::Arithmetic& arithmetic = {});

/// The gradients of sum_ij output_gradient_ij out_ij, `out` and `log_sums` being what exact() gave for the same inputs:
/// weights are made again tile by tile (Dao et al. 2022, Algorithm 4), in O(L) memory. The bits do not depend on the
/// number of threads. Throws as exact() does, and when the shapes of `out`, `log_sums` or the output gradient are not
/// those of exact(), or the latter is not finite.
template <class Scalar>
void exact_backward(const Inputs<Scalar>&, Visible, const Rows<Scalar>& out, const Column<Scalar>& log_sums,
                    const RowsView<Scalar>& output_gradient, Gradients<Scalar>&,
                    const products::Arithmetic& arithmetic = {});

}  // namespace rfbench::attention
