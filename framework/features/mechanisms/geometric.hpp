#pragma once
#include "rfbench/features/catalogue.hpp"

namespace rfbench::features {

/// Geometric features (GeomRF): P(omega_l = k) = q (1 - q)^k (Likhosherstov 2022, 6.4.2).
const MechanismInfo& geometric();

/// GeomRF+: the same after a shift that makes all coordinates, and so all features, positive (6.4.3).
const MechanismInfo& geometric_shifted();

}  // namespace rfbench::features
