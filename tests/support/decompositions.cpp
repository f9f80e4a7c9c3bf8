#include "decompositions.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace rfbench::tests {

using Eigen::MatrixXd, Eigen::VectorXd;

Qr householder_qr(const MatrixXd& a) {
    const Eigen::HouseholderQR<MatrixXd> qr(a);
    return {qr.householderQ() * MatrixXd::Identity(a.rows(), a.cols()), qr.matrixQR().diagonal()};
}

MatrixXd Eigenpairs::with(const VectorXd& of_values) const {
    return vectors * of_values.asDiagonal() * vectors.transpose();
}

Eigenpairs symmetric_eigenpairs(const MatrixXd& a) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(a);
    return {solver.eigenvalues(), solver.eigenvectors()};
}

Svd jacobi_svd(const MatrixXd& a) {
    const Eigen::JacobiSVD<MatrixXd> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
    return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

VectorXd real_eigenvalues(const MatrixXd& a) { return a.eigenvalues().real(); }

MatrixXd inverse(const MatrixXd& a) { return a.inverse(); }

MatrixXd solved(const MatrixXd& a, const MatrixXd& b) { return a.fullPivLu().solve(b); }

double determinant(const MatrixXd& a) { return a.determinant(); }

}  // namespace rfbench::tests
