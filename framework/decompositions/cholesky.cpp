#include "rfbench/decompositions/cholesky.hpp"

#include <Eigen/Cholesky>
#include <utility>

namespace rfbench::decompositions {

Cholesky::Cholesky(Eigen::MatrixXd a) : lower_(std::move(a)) {
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> in_place(lower_);
    positive_definite_ = in_place.info() == Eigen::Success;
    // The factorization leaves there what was given.
    lower_.triangularView<Eigen::StrictlyUpper>().setZero();
}

// One column is solved for as a vector: no blocks of it are packed.

Eigen::MatrixXd Cholesky::solve(const Eigen::MatrixXd& b) const {
    Eigen::MatrixXd x = solve_lower(b);
    const auto upper = lower_.transpose().triangularView<Eigen::Upper>();
    if (b.cols() == 1) {
        auto column = x.col(0);
        upper.solveInPlace(column);
    } else {
        upper.solveInPlace(x);
    }
    return x;
}

Eigen::MatrixXd Cholesky::solve_lower(const Eigen::MatrixXd& b) const {
    const auto lower = lower_.triangularView<Eigen::Lower>();
    if (b.cols() == 1) return lower.solve(b.col(0));
    return lower.solve(b);
}

}  // namespace rfbench::decompositions
