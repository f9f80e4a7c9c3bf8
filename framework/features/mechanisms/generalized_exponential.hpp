#pragma once
#include "rfbench/features/catalogue.hpp"

namespace rfbench::features {

/// Generalized exponential features (GERF; Likhosherstov 2022, Theorems 13 and 14): D exp(A|w|^2 + B w.x + C|x|^2) and
/// the same with tB, A complex, t = +1 or -1. A = 0 gives positive (t = +1) and trigonometric features (t = -1).
const MechanismInfo& generalized_exponential();

}  // namespace rfbench::features
