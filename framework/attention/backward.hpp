#pragma once
#include "rfbench/attention/feature_sums.hpp"

namespace rfbench::attention {

/// Gradients with respect to the inputs, of their shapes.
template <class Scalar>
struct Gradients {
    Rows<Scalar> queries, keys, values;  ///< L x d, L' x d, L' x e
    /// With respect to the parameters of the features (DifferentiableMap::num_parameters); empty where they have none.
    Vector parameters = {};
    /// Number of output rows without a gradient: the denominator, over the largest feature and weight, is at most 1e10
    /// times the smallest normal number, which leaves its inverse room for what it is multiplied with; of group norms,
    /// the largest deviation from the mean is.
    Index left_out = 0;
};

/// Throws std::invalid_argument when output_gradient is not L x e or not finite, and naming what shares memory with the
/// gradients.
template <class Scalar>
void check_gradients(const Inputs<Scalar>&, const RowsView<Scalar>& output_gradient, const Gradients<Scalar>&);

/// The gradients, with respect to inputs and parameters of the features, of sum_ij output_gradient_ij out_ij, out being
/// that of linear() (linear.hpp), which is computed again on the way, products as there: O(L) time, O(1) feature states
/// (Likhosherstov 2022, Appendix 5.B, with corrected indices). The bits do not depend on the number of threads. Throws
/// as linear() does, and when output_gradient is not of the output's shape or not finite, or when the map has no
/// gradient.
template <class Scalar>
Outcome backward(const features::FeatureMap& map, const Inputs<Scalar>& in, Visible,
                 const RowsView<Scalar>& output_gradient, Gradients<Scalar>& out, Norm norm = Norm::quotient);

/// backward() of causal attention, for a slice of a longer sequence (Likhosherstov 2022, Algorithm 6). `past` is the
/// state of causal() (linear.hpp) before the slice. `later` is, on entry, the gradient with respect to the state after
/// the slice, as the call for the next slice left it; for the last slice it is empty. On return it is the gradient with
/// respect to `past`. Calls from the last slice to the first give the gradients of the whole sequence, with the bits of
/// backward() if slices are whole blocks (CausalBlock::length). Throws as backward() does, and for sums of other
/// shapes.
template <class Scalar>
Outcome backward_slice(const features::FeatureMap& map, const Inputs<Scalar>& in, const FeatureSums<Scalar>& past,
                       FeatureSums<Scalar>& later, const RowsView<Scalar>& output_gradient, Gradients<Scalar>& out,
                       Norm norm = Norm::quotient);

}  // namespace rfbench::attention
