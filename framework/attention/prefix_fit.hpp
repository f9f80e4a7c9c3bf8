#pragma once
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"

namespace rfbench::attention {

/// How causal attention through a fitted mechanism is fitted without seeing the future (the open question 3 of
/// Likhosherstov 2022, chapter 7, for FAVOR++).
struct PrefixFit {
    const features::MechanismInfo* mechanism;    ///< what is fitted
    features::Settings settings = {};            ///< of parameters that are not to be fitted
    Index count = 0;                             ///< draws
    const sampling::Scheme* sampling = nullptr;  ///< how its omegas are drawn
    Stream stream{0};                            ///< of the draws: the same for all fits
    Index first = 128;                           ///< tokens that no fit has seen yet: they have positive features
};

/// Throws std::invalid_argument for a `first` or a count that is not positive, and without a mechanism or a sampling
/// scheme.
void check(const PrefixFit&);

/// Causal attention whose features are fitted anew when the number of tokens has doubled: tokens n .. 2n - 1 have
/// features fitted from tokens 0 .. n - 1, n = first, 2 first, 4 first, ...; the sums of the earlier keys are made
/// again with the new features. Padded tokens are not fitted to. O(L) in all: each token's features are made at most
/// three times on average. Throws as causal() and check() do.
template <class Scalar>
Outcome causal_prefix_fitted(const PrefixFit&, const Inputs<Scalar>& in, Rows<Scalar>& out);

}  // namespace rfbench::attention
