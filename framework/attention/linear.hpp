#pragma once
// Linear attention through the features of any map: FAVOR with trigonometric features (Choromanski et al. 2020), FAVOR+
// with positive (Choromanski et al. 2021), FAVOR++ with optimal positive ones (Likhosherstov 2022, chapter 6).
#include "rfbench/attention/feature_sums.hpp"

namespace rfbench::attention {

/// out_i = sum_j K^(q_i, k_j) v_j / sum_j K^(q_i, k_j) over the keys query i sees, K^ the kernel estimate of `map`
/// (softmax_map.hpp for exp(q.k / sqrt d)), or the numerator by another norm (feature_sums.hpp). O(L R (d + e)) time,
/// features live only in a tile. Products are formed as the map's are (FeatureMap::arithmetic). The bits do not depend
/// on the number of threads. Throws as check() does, and when the map was drawn for another d or has no columns.
template <class Scalar>
Outcome linear(const features::FeatureMap& map, const Inputs<Scalar>& in, Visible, Rows<Scalar>& out,
               Norm norm = Norm::quotient);

/// Causal attention of tokens that come after those that `state` has seen. When this returns it has seen these too, so
/// that decoding token by token, or in pieces of any length, is attention over the whole, to rounding.
template <class Scalar>
Outcome causal(const features::FeatureMap& map, const Inputs<Scalar>& in, FeatureSums<Scalar>& state, Rows<Scalar>& out,
               Norm norm = Norm::quotient);

}  // namespace rfbench::attention
