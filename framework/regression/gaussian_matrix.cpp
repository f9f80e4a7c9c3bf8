#include "rfbench/regression/gaussian_matrix.hpp"

namespace rfbench::regression {

Eigen::MatrixXd gaussian_matrix(const PointsView& x, const PointsView& y) {
    Eigen::MatrixXd squares = -2 * x * y.transpose();
    squares.colwise() += x.rowwise().squaredNorm();
    squares.rowwise() += y.rowwise().squaredNorm().transpose();
    // Rounding may leave squares of like rows below zero.
    return (-0.5 * squares.array().max(0)).exp();
}

}  // namespace rfbench::regression
