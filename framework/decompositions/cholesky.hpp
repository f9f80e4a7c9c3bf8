#pragma once
#include "rfbench/matrix.hpp"

namespace rfbench::decompositions {

/// A = L L' for a symmetric matrix A, n x n, of which the lower triangle is read.
class Cholesky {
public:
    Cholesky() = default;
    explicit Cholesky(Eigen::MatrixXd a);

    /// Whether A was, to rounding. Where it was not, nothing below has a meaning.
    bool positive_definite() const { return positive_definite_; }

    const Eigen::MatrixXd& lower() const { return lower_; }  ///< L, zeros above the diagonal

    Eigen::MatrixXd solve(const Eigen::MatrixXd& b) const;        ///< A^-1 b, for b of n rows
    Eigen::MatrixXd solve_lower(const Eigen::MatrixXd& b) const;  ///< L^-1 b

private:
    Eigen::MatrixXd lower_;
    bool positive_definite_ = true;
};

}  // namespace rfbench::decompositions
