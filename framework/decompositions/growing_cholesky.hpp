#pragma once
#include "rfbench/matrix.hpp"

namespace rfbench::decompositions {

/// A = L L' for a symmetric matrix A that gets a row and column at a time: n^2 / 2 multiplications for the n-th, where
/// Cholesky takes n^3 / 6 for the whole.
class GrowingCholesky {
public:
    /// Has room for so many rows.
    explicit GrowingCholesky(Eigen::Index capacity) : lower_(capacity, capacity) {}

    Eigen::Index size() const { return size_; }  ///< n

    /// Adds a row: its n entries before the diagonal, and that on it. False where A would not be positive definite, to
    /// rounding; nothing is added then.
    bool append(const Eigen::VectorXd& row, double diagonal);
    /// Keeps the first `count` rows and columns.
    void keep(Eigen::Index count) { size_ = count; }

    /// The least entry of the diagonal of L; 1 of no rows.
    double min_pivot() const { return size_ > 0 ? lower_.diagonal().head(size_).minCoeff() : 1; }
    Eigen::VectorXd solve(const Eigen::VectorXd& b) const;  ///< A^-1 b

private:
    Eigen::MatrixXd lower_;
    Eigen::Index size_ = 0;
};

}  // namespace rfbench::decompositions
