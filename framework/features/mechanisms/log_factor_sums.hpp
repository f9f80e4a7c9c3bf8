#pragma once
#include "rfbench/matrix.hpp"

namespace rfbench::features {

/// Replaces every u >= 0 by g(u), where 0 < g(u) <= 1 and g(u) > 1e-16 for u < 1e30.
using Factor = void (*)(Eigen::Ref<Eigen::ArrayXd> u);

/// out(i, j) = sum_l u_l + log g(u_l), u_l = rate |x_il y_jl|: the logs of exp(u) g(u), with one logarithm for many
/// coordinates. x: n x d, y: n' x d, out: n x n'. Where u reaches 1e30, out is NaN.
void log_factor_sums(double rate, Factor g, const PointsView& x, const PointsView& y, Eigen::Ref<Points> out);

}  // namespace rfbench::features
