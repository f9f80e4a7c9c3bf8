#pragma once
#include "rfbench/attention/backward.hpp"
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

/// Matrices of a Linformer that is trained, k x L' each (Wang et al. 2020, (7)): E mixes keys, F values. A sequence of
/// n keys is mixed by their first n columns.
template <class Scalar>
struct Mixing {
    RowsView<Scalar> keys;    ///< E
    RowsView<Scalar> values;  ///< F
};

/// out = softmax(Q (E K)' / sqrt d) (F V), with what linformer_backward() needs: log_sums as exact() gives them.
template <class Scalar>
Outcome linformer(const Mixing<Scalar>&, const Inputs<Scalar>& in, Rows<Scalar>& out, Column<Scalar>& log_sums);

/// The gradients of sum_ij output_gradient_ij out_ij, `out` and `log_sums` being what linformer() gave for the same
/// inputs. Those of E and F are added to `by_mixing`, row after row, E's k L' entries first. The mixtures are computed
/// again. Throws as linformer() and exact_backward() do, and for another number of entries. (The stride is Ref's own
/// default, written out: clang++ gives the default another name at a call than in an explicit instantiation.)
template <class Scalar>
void linformer_backward(const Mixing<Scalar>&, const Inputs<Scalar>& in, const Rows<Scalar>& out,
                        const Column<Scalar>& log_sums, const RowsView<Scalar>& output_gradient, Gradients<Scalar>&,
                        Eigen::Ref<Column<Scalar>, 0, Eigen::InnerStride<1>> by_mixing);

}  // namespace rfbench::attention
