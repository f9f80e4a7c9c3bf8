#pragma once
#include <memory>

#include "rfbench/matrix.hpp"

namespace rfbench::decompositions {

/// The pseudo-inverse A^+ of a matrix A, n x m, by a complete orthogonal decomposition.
class PseudoInverse {
public:
    PseudoInverse() = default;
    /// Pivots not above `threshold` times the largest count as zero: the rank is the number of the others.
    PseudoInverse(const Eigen::MatrixXd& a, double threshold);

    Eigen::MatrixXd times(const Eigen::MatrixXd& b) const;  ///< A^+ b, for b of n rows
    Eigen::MatrixXd matrix() const;                         ///< A^+, m x n

private:
    struct Parts;
    std::shared_ptr<const Parts> parts_;
};

}  // namespace rfbench::decompositions
