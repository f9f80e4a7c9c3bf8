#pragma once
#include "rfbench/matrix.hpp"

namespace rfbench::decompositions {

/// A = U diag(values) V' for a square matrix.
struct SingularValues {
    Eigen::MatrixXd left;   ///< U, orthogonal
    Vector values;          ///< descending, none negative
    Eigen::MatrixXd right;  ///< V, orthogonal
};
/// Small values are as accurate as large ones where columns differ in scale. Throws std::invalid_argument for a matrix
/// that is not finite.
SingularValues singular_values(const Eigen::MatrixXd& a);

}  // namespace rfbench::decompositions
