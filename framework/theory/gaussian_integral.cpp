#include "rfbench/theory/gaussian_integral.hpp"

#include <cmath>
#include <stdexcept>

#include "rfbench/decompositions/cholesky.hpp"
#include "rfbench/decompositions/symmetric_eigen.hpp"

namespace rfbench::theory {

GaussianIntegral::GaussianIntegral(const Eigen::MatrixXd& a, const Vector& mean, const Eigen::MatrixXd& covariance) {
    const Index d = mean.size();
    if (a.rows() != d || a.cols() != d || covariance.rows() != d || covariance.cols() != d)
        throw std::invalid_argument("Gaussian integral: A, the mean and the covariance differ in dimension");

    // S = R R', singular or not; with I + R'AR = L L', G = (R L^{-T}) (R L^{-T})'.
    const auto spectrum = decompositions::symmetric_eigen(covariance);
    const Eigen::MatrixXd r = spectrum.vectors * spectrum.values.cwiseMax(0).cwiseSqrt().asDiagonal();
    const Eigen::MatrixXd inner = Eigen::MatrixXd::Identity(d, d) + r.transpose() * a * r;
    const decompositions::Cholesky factor(inner);
    root_ = factor.solve_lower(r.transpose()).transpose();

    // G = (S^-1 + A)^-1. The log of the integral is b'Gb / 2 + b'(I - GA) mean - mean'A (I - GA) mean / 2 - log det(I +
    // SA) / 2.
    linear_ = mean - root_ * (root_.transpose() * (a * mean));
    const double half_log_det = factor.lower().diagonal().array().log().sum();
    constant_ = -0.5 * mean.dot(a * linear_) - half_log_det;
}

Vector GaussianIntegral::operator()(const Projections& exponents) const {
    Vector values = 0.5 * (root_.transpose() * exponents).colwise().squaredNorm().transpose();
    values += exponents.transpose() * linear_;
    return values.array() + constant_;
}

Eigen::MatrixXd GaussianIntegral::of_sums(const Projections& a, const Projections& b) const {
    const Eigen::MatrixXd left = root_.transpose() * a, right = root_.transpose() * b;
    Eigen::MatrixXd values = left.transpose() * right;
    values.colwise() += (0.5 * left.colwise().squaredNorm().transpose() + a.transpose() * linear_).eval();
    values.rowwise() += (0.5 * right.colwise().squaredNorm() + linear_.transpose() * b).eval();
    return values.array() + constant_;
}

}  // namespace rfbench::theory
