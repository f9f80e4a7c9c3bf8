#pragma once
#include "rfbench/features/mechanism_info.hpp"

namespace rfbench::features {

/// r v for every column, v = w / |w| and r = Phi^{-1}(t), t = P(chi(d) <= |w|) (Chen et al. 2024, (9)). Throws
/// std::invalid_argument for a column of zeros, which has no direction.
Projections with_normal_radii(const Projections& omega);

}  // namespace rfbench::features
