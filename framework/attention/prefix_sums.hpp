#pragma once
// Causal attention by explicit prefix sums: the tensor R of (3.7), which Algorithm 3 forms where onFullPS is set
// (Likhosherstov 2022). It takes L R (e + 1) numbers where blocks (causal_block.hpp) take as many as one state.
#include "rfbench/attention/backward.hpp"

namespace rfbench::attention {

/// Terms phi_i [n_i, d_i] 2^(x_i) of sums over tokens, as in FeatureSums: L x R features, L x e, L and L numbers.
template <class Scalar>
struct SumTerms {
    Rows<Scalar> features, numerators;  ///< phi_i, n_i
    Column<Scalar> denominators;        ///< d_i
    Eigen::VectorXi exponents;          ///< x_i
};

/// forwards: sums over the terms up to each token. backwards: over those from each token on.
enum class SumOrder { forwards, backwards };

/// All prefix sums, each beside the power of two of its heaviest term.
template <class Scalar>
class PrefixSums {
public:
    PrefixSums() = default;
    /// L R (e + 1) sums. `state` is what the sums begin with; afterwards it has all terms. Threads share the features,
    /// and each sum is formed in the tokens' order: the bits do not depend on their number.
    PrefixSums(const SumTerms<Scalar>&, SumOrder, FeatureSums<Scalar>& state);

    Index features() const { return denominators_.cols(); }  ///< R
    /// R x e, of token i, relative to 2^exponent(i).
    RowsView<Scalar> numerators(Index i) const {
        return Eigen::Map<const Rows<Scalar>>(&numerators_(i, 0), features(), numerators_.cols() / features());
    }
    /// R numbers of token i, relative to the same.
    Column<Scalar> denominators(Index i) const { return denominators_.row(i).transpose(); }
    int exponent(Index i) const { return exponents_[i]; }  ///< of the sums of token i

private:
    void sum(const SumTerms<Scalar>&, SumOrder, const FeatureSums<Scalar>& before, Index first, Index n);

    Rows<Scalar> numerators_, denominators_;  // L x R e, L x R
    Eigen::VectorXi exponents_;
};

/// Bytes of the sums of L tokens of one head: L R (e + 1) numbers (Likhosherstov 2022, section 3.4).
template <class Scalar>
double prefix_sum_bytes(Index length, Index features, Index value_columns) {
    return static_cast<double>(length) * static_cast<double>(features * (value_columns + 1)) * sizeof(Scalar);
}

/// causal() (linear.hpp) to rounding; leaves the sums over keys, R_1 .. R_L, in `made`. Throws as it does.
template <class Scalar>
Outcome causal_by_prefix_sums(const features::FeatureMap&, const Inputs<Scalar>&, FeatureSums<Scalar>& state,
                              PrefixSums<Scalar>& made, Rows<Scalar>& out, Norm norm = Norm::quotient);

/// backward_slice() (backward.hpp) to rounding, from the sums that the pass forwards made. What queries send back is
/// summed as explicitly, from the last token to the first, in as much memory again. Throws as it does.
template <class Scalar>
Outcome backward_by_prefix_sums(const features::FeatureMap&, const Inputs<Scalar>&, const PrefixSums<Scalar>& made,
                                FeatureSums<Scalar>& later, const RowsView<Scalar>& output_gradient,
                                Gradients<Scalar>& out, Norm norm = Norm::quotient);

}  // namespace rfbench::attention
