#pragma once
#include "rfbench/features/catalogue.hpp"

namespace rfbench::features {

/// ADERF: the optimal positive features of Tx and T^-T y, with T balancing the second moments of the two sets.
const MechanismInfo& dense_asymmetric();

}  // namespace rfbench::features
