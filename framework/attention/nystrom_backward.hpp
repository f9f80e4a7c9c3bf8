#pragma once
#include "rfbench/attention/backward.hpp"
#include "rfbench/attention/nystrom.hpp"
#include "rfbench/decompositions/pseudo_inverse.hpp"

namespace rfbench::attention {

/// Results of the forward pass for nystrom_backward(); empty where no query sees a key.
template <class Scalar>
struct NystromPass {
    std::vector<Index> kept;                     ///< numbers of the keys that are not padding
    Rows<Scalar> queries, keys;                  ///< landmarks Q~ and K~
    Points between;                              ///< B = S(Q~, K~)
    decompositions::PseudoInverse inverse = {};  ///< of B
    Rows<Scalar> seen, values;                   ///< W = S(Q~, K) V, and U = B^+ W, to which all queries attend
    Column<Scalar> seen_sums, sums;              ///< as exact() gives them, of W and of the output
};
/// nystrom(), which also leaves what nystrom_backward() needs. Throws as it does.
template <class Scalar>
Outcome nystrom(Index landmarks, const Inputs<Scalar>& in, Rows<Scalar>& out, NystromPass<Scalar>&);

/// The gradients of sum_ij output_gradient_ij out_ij, through the means of segments, the three softmaxes and the
/// pseudo-inverse (Golub and Pereyra 1973, (4.12)), the rank of which is held fixed. Throws as nystrom() and
/// exact_backward() do.
template <class Scalar>
void nystrom_backward(const Inputs<Scalar>& in, const NystromPass<Scalar>&, const Rows<Scalar>& out,
                      const RowsView<Scalar>& output_gradient, Gradients<Scalar>&);

}  // namespace rfbench::attention
