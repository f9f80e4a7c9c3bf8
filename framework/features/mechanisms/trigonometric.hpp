#pragma once
#include "rfbench/features/catalogue.hpp"

namespace rfbench::features {

/// Trigonometric features (TrigRF; Rahimi and Recht 2007): f1 = exp(i w.x), f2 = exp(-i w.y).
const MechanismInfo& trigonometric();

}  // namespace rfbench::features
