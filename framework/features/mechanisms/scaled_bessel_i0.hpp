#pragma once
#include "rfbench/matrix.hpp"

namespace rfbench::features {

/// Replaces every u >= 0 by exp(-u) I_0(u), to about 4e-15 of its value, in vector instructions: a Chebyshev
/// interpolant in u below 8, one of sqrt(u) exp(-u) I_0(u) in 1/u above.
void scaled_bessel_i0(Eigen::Ref<Eigen::ArrayXd> u);

}  // namespace rfbench::features
