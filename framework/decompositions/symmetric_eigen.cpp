#include "rfbench/decompositions/symmetric_eigen.hpp"

#include <Eigen/Eigenvalues>

namespace rfbench::decompositions {

using Solver = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& a) {
    const Solver solver(a);
    return {solver.eigenvalues(), solver.eigenvectors()};
}

Vector symmetric_eigenvalues(const Eigen::MatrixXd& a) { return Solver(a, Eigen::EigenvaluesOnly).eigenvalues(); }

}  // namespace rfbench::decompositions
