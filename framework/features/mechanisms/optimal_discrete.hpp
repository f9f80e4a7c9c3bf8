#pragma once
#include "rfbench/features/catalogue.hpp"

namespace rfbench::features {

/// Discrete features with the law of each coordinate that minimises the mean of E Z^2 over all pairs of two sets:
/// p_lk prop. to sqrt(E Poisson(k; x_l^2) E Poisson(k; y_l^2)). Answers the open question of Likhosherstov 2022, 6.4.2.
const MechanismInfo& optimal_discrete();

}  // namespace rfbench::features
