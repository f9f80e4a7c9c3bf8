#pragma once
#include "rfbench/features/catalogue.hpp"

namespace rfbench::features {

/// Discrete features with a negative binomial law, P(omega_l = k) = (1-q)^(1/2) (1/2)_k q^k / k!: the law that is
/// optimal for Gaussian coordinates. Not in the papers.
const MechanismInfo& negative_binomial();

}  // namespace rfbench::features
