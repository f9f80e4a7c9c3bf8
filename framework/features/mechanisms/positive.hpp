#pragma once
#include "rfbench/features/catalogue.hpp"

namespace rfbench::features {

/// Positive features (PosRF; Choromanski et al. 2021): f(x) = exp(w.x - |x|^2) on both sides.
const MechanismInfo& positive();

}  // namespace rfbench::features
