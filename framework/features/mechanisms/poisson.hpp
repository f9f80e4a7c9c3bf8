#pragma once
#include "rfbench/features/catalogue.hpp"

namespace rfbench::features {

/// Poisson features (PoisRF): omega_l ~ Poisson(lambda) (Likhosherstov 2022, 6.4.1).
const MechanismInfo& poisson();

/// PoisRF+: the same after a shift that makes all coordinates, and so all features, positive (6.4.3).
const MechanismInfo& poisson_shifted();

}  // namespace rfbench::features
