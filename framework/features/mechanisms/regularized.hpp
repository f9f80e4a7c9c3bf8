#pragma once
#include "rfbench/features/catalogue.hpp"

namespace rfbench::features {

/// Regularized features (RegRF; Choromanski et al. 2021): f(x) = exp(sqrt(d) w.x / |w| - |x|^2) on both sides.
const MechanismInfo& regularized();

}  // namespace rfbench::features
