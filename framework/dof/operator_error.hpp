#pragma once
#include "rfbench/dof/weighted_features.hpp"

namespace rfbench::dof {

/// |(S + lambda)^(-1/2) (S - S^) (S + lambda)^(-1/2)|, spectral norm, for the operators of the softmax kernel and of
/// its estimate under the law of a sample: what the bound on the kernel's error stands on (Nishikawa, Higuchi and
/// Suzuki 2025, Lemma 2). O(J^3 + J^2 M). Throws std::invalid_argument unless lambda is positive and finite, and where
/// it is so small that S + lambda is singular to rounding.
double relative_operator_error(const PointsView& points, const WeightedFeatures&, double lambda);

/// sqrt(mean (K - K^)^2 / mean K^2) over all pairs of the sample: |K - K^| / |K| in L2 of the law twice.
double relative_kernel_error(const PointsView& points, const WeightedFeatures&);

/// Features that suffice for a relative operator error of at most t with probability 1 - delta when they are drawn from
/// a density with N_q = sup_z phi' (S + lambda)^-1 phi / q: (4 N / t^2) log(64 N / (delta t^2)), 0 < t <= 3 (Lemma 5).
double sufficient_features(double n, double t, double delta);

/// The same as Theorem 3 prints it, (4 N / t) log(64 N / (delta t)): too few for t < 1.
double sufficient_features_as_printed(double n, double t, double delta);

}  // namespace rfbench::dof
