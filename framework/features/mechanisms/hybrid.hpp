#pragma once
#include "rfbench/features/catalogue.hpp"

namespace rfbench::features {

/// Hybrid features (HybRF): trigonometric and positive estimates mixed by a random-feature estimate of the angle,
/// (1 + a)/2 T + (1 - a)/2 P (Likhosherstov 2022, (6.4)), in the feature form (6.6) with dimension (M3 + 1)(M1 + M2).
const MechanismInfo& hybrid();

}  // namespace rfbench::features
