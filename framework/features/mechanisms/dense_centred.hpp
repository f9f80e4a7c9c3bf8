#pragma once
#include "rfbench/features/catalogue.hpp"

namespace rfbench::features {

/// Centred DERF, the optimum of the whole dense family: balanced, on principal axes, and centred at the two means.
const MechanismInfo& dense_centred();

}  // namespace rfbench::features
