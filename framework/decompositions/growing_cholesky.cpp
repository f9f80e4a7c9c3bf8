#include "rfbench/decompositions/growing_cholesky.hpp"

#include <cmath>

namespace rfbench::decompositions {

bool GrowingCholesky::append(const Eigen::VectorXd& row, double diagonal) {
    const auto lower = lower_.topLeftCorner(size_, size_);
    const Eigen::VectorXd own = lower.triangularView<Eigen::Lower>().solve(row);
    const double square = diagonal - own.squaredNorm();
    if (!(square > 0)) return false;
    lower_.row(size_).head(size_) = own.transpose();
    lower_(size_, size_) = std::sqrt(square);
    ++size_;
    return true;
}

Eigen::VectorXd GrowingCholesky::solve(const Eigen::VectorXd& b) const {
    const auto lower = lower_.topLeftCorner(size_, size_);
    Eigen::VectorXd x = lower.triangularView<Eigen::Lower>().solve(b);
    lower.transpose().triangularView<Eigen::Upper>().solveInPlace(x);
    return x;
}

}  // namespace rfbench::decompositions
