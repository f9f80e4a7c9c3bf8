#pragma once
#include "rfbench/features/catalogue.hpp"

namespace rfbench::features {

/// Cosines with a random phase (Rahimi and Recht 2007): f(x) = sqrt(2) cos(w.x + b), b uniform on (0, 2 pi).
const MechanismInfo& cosine_phase();

}  // namespace rfbench::features
