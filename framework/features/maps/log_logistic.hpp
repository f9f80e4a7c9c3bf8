#pragma once
#include <cmath>

namespace rfbench::features {

/// log(1 / (1 + exp(-z))), which neither overflows nor underflows.
inline double log_logistic(double z) { return z > 0 ? -std::log1p(std::exp(-z)) : z - std::log1p(std::exp(z)); }

}  // namespace rfbench::features
