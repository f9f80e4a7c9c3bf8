#pragma once
#include "rfbench/matrix.hpp"

namespace rfbench::regression {

/// exp(-|x_i - y_j|^2 / 2), n x n' (Likhosherstov 2022, 2.1.1).
Eigen::MatrixXd gaussian_matrix(const PointsView& x, const PointsView& y);

}  // namespace rfbench::regression
