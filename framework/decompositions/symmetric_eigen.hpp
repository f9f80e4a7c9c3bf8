#pragma once
#include "rfbench/matrix.hpp"

namespace rfbench::decompositions {

/// A = V diag(values) V' for a symmetric matrix, of which the lower triangle is read.
struct SymmetricEigen {
    Vector values;            ///< ascending
    Eigen::MatrixXd vectors;  ///< V, one a column, orthonormal; each of either sign
};
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& a);

/// The values alone, ascending.
Vector symmetric_eigenvalues(const Eigen::MatrixXd& a);

}  // namespace rfbench::decompositions
