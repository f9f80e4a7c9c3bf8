#pragma once
#include "rfbench/features/catalogue.hpp"

namespace rfbench::features {

/// SDERF: features on the principal axes of x + y, with one A an axis.
const MechanismInfo& dense_symmetric();

}  // namespace rfbench::features
