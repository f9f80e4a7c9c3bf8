#pragma once
#include <Eigen/Core>

namespace rfbench::tests {

// Eigen's decompositions, which our own are checked by: each of their templates takes seconds of a file that uses it,
// so they are compiled once.

/// A = Q R for A of n rows and m <= n columns: Q has orthonormal columns, R's diagonal either sign.
struct Qr {
    Eigen::MatrixXd q;         ///< n x m
    Eigen::VectorXd diagonal;  ///< R's
};
Qr householder_qr(const Eigen::MatrixXd& a);

/// A = V diag(values) V' for a symmetric matrix, of which the lower triangle is read.
struct Eigenpairs {
    Eigen::VectorXd values;   ///< ascending
    Eigen::MatrixXd vectors;  ///< V, orthogonal

    /// V diag(of_values) V'.
    Eigen::MatrixXd with(const Eigen::VectorXd& of_values) const;
};
Eigenpairs symmetric_eigenpairs(const Eigen::MatrixXd& a);

/// A = U diag(values) V', U and V as thin as they can be.
struct Svd {
    Eigen::MatrixXd left;    ///< U
    Eigen::VectorXd values;  ///< descending
    Eigen::MatrixXd right;   ///< V
};
Svd jacobi_svd(const Eigen::MatrixXd& a);

/// Real parts of the eigenvalues of a square matrix, in no order.
Eigen::VectorXd real_eigenvalues(const Eigen::MatrixXd& a);

Eigen::MatrixXd inverse(const Eigen::MatrixXd& a);                           ///< A^-1
Eigen::MatrixXd solved(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);  ///< A^-1 b, with full pivoting
double determinant(const Eigen::MatrixXd& a);

}  // namespace rfbench::tests
