#pragma once
#include "rfbench/features/catalogue.hpp"

namespace rfbench::features {

/// Weighted positive fixed features (WPFF; Chen et al. 2024, (10)): f_m(x) = D_m exp(w_m.x - |x|^2) on both sides,
/// D_m^2 fitted to the draw (fitted_weights.hpp).
const MechanismInfo& positive_weighted();

}  // namespace rfbench::features
