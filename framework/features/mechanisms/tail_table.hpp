#pragma once
#include "rfbench/matrix.hpp"

namespace rfbench::features {

/// The smallest k with P(X > k) <= 1 - u, from tails[k] = P(X > k), k = 0, 1, ...: the quantile of X. tails.size() when
/// it lies beyond the table. Tails, not sums from below, so that the rare large k keep their probabilities.
Index quantile_in(const Vector& tails, double u);

}  // namespace rfbench::features
