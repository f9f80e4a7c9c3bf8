#pragma once
#include "rfbench/features/catalogue.hpp"

namespace rfbench::features {

/// Positive fixed features (PFF; Chen et al. 2024, (9)): f(x) = exp(r v.x - |x|^2) on both sides, v = w / |w|, with the
/// printed r = Phi^{-1}(t), t = P(chi(d) <= |w|). With r = |w| they are the features of `positive`.
const MechanismInfo& positive_fixed();

/// r v for every column. Throws std::invalid_argument for a column of zeros, which has no direction.
Projections with_normal_radii(const Projections& omega);

}  // namespace rfbench::features
