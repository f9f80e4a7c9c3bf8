#pragma once
#include "rfbench/matrix.hpp"

namespace rfbench::features {

/// out(i, j) = |x_i + t y_j|^2 for all pairs of rows, t = +1 or -1: from products of the rows, and by differences of
/// coordinates where those would cancel (below 1e-5 of |x_i|^2 + |y_j|^2), so that the relative error stays below about
/// 1e5 ulp everywhere. x: n x d, y: n' x d, out: n x n'.
void squared_sums(const PointsView& x, const PointsView& y, double t, Eigen::Ref<Points> out);

}  // namespace rfbench::features
