#include "rfbench/decompositions/pseudo_inverse.hpp"

#include <Eigen/QR>

namespace rfbench::decompositions {

struct PseudoInverse::Parts {
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> of;
};

PseudoInverse::PseudoInverse(const Eigen::MatrixXd& a, double threshold) {
    auto parts = std::make_shared<Parts>();
    parts->of.setThreshold(threshold);
    parts->of.compute(a);
    parts_ = std::move(parts);
}

Eigen::MatrixXd PseudoInverse::times(const Eigen::MatrixXd& b) const { return parts_->of.solve(b); }

Eigen::MatrixXd PseudoInverse::matrix() const { return parts_->of.pseudoInverse(); }

}  // namespace rfbench::decompositions
