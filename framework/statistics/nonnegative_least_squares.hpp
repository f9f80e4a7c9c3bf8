#pragma once
#include <Eigen/Core>

namespace rfbench::statistics {

/// The w >= 0 with the least w'Hw - 2 b'w, H symmetric and positive semidefinite: least squares under w >= 0 by its
/// normal equations, as an active set that grows by the steepest coordinate (Lawson and Hanson 1974, chapter 23). A
/// coordinate that depends linearly on those in use, to rounding, stays 0. On return b - Hw <= 0 where w = 0 and = 0
/// where w > 0, to rounding. Throws std::invalid_argument when shapes do not fit or an entry is not finite.
Eigen::VectorXd nonnegative_least_squares(const Eigen::MatrixXd& h, const Eigen::VectorXd& b);

/// `steps` steps of accelerated projected gradient towards the same minimum from `start` >= 0 (Beck and Teboulle 2009,
/// with step 1 over the largest row sum of |H|). Throws as above.
Eigen::VectorXd projected_gradient(const Eigen::MatrixXd& h, const Eigen::VectorXd& b, const Eigen::VectorXd& start,
                                   int steps);

}  // namespace rfbench::statistics
