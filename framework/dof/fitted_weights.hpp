#pragma once
#include "rfbench/dof/losses.hpp"

namespace rfbench::dof {

/// Weights for fixed points that make the squared loss least over these sequences: the convex part of the training of
/// Nishikawa, Higuchi and Suzuki 2025, section 3.3, by non-negative least squares. A weight of 0 has the logarithm
/// -1e28. O(L M^2 + L L' M) a sequence. Throws std::invalid_argument as evaluate() does.
WeightedFeatures fit_weights(const Projections& points, attention::Visible, const std::vector<Sequence>&);

}  // namespace rfbench::dof
