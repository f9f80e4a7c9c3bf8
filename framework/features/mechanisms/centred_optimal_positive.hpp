#pragma once
#include "rfbench/features/catalogue.hpp"

namespace rfbench::features {

/// Optimal positive features of points shifted by the mean of the two sets' means: K depends on x - y alone.
const MechanismInfo& centred_optimal_positive();

}  // namespace rfbench::features
