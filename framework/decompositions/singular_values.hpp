#pragma once
#include "rfbench/matrix.hpp"

namespace rfbench::decompositions {

/// A = U diag(values) V' for a square matrix.
struct SingularValues {
    Eigen::MatrixXd left;   ///< U, orthogonal
    Vector values;          ///< descending, none negative
    Eigen::MatrixXd right;  ///< V, orthogonal
};
SingularValues singular_values(const Eigen::MatrixXd& a);

}  // namespace rfbench::decompositions
