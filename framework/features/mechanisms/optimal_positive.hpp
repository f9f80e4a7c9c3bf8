#pragma once
#include "rfbench/features/catalogue.hpp"

namespace rfbench::features {

/// Optimal positive features (OPRF; Likhosherstov 2022, Theorem 15): f(x) = D exp(A|w|^2 + B w.x - |x|^2), A real.
const MechanismInfo& optimal_positive();

}  // namespace rfbench::features
