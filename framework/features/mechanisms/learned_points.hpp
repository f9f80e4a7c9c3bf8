#pragma once
#include "rfbench/features/catalogue.hpp"

namespace rfbench::features {

/// Positive features at given points with given weights, such as training leaves behind
/// (rfbench/training/point_training.hpp): f_m(x) = exp(z_m.x - |x|^2 + log alpha_m / 2) for one unit of all M points.
/// Without points they are the positive features of the draw.
const MechanismInfo& learned_points();

}  // namespace rfbench::features
