#pragma once
#include "rfbench/matrix.hpp"

namespace rfbench::theory {

/// log E exp(a.z - z'Az / 2) for z ~ N(mean, covariance), any number of a at once:
/// a'Ga/2 + a.h + c with G = S (I + AS)^{-1}, h = (I + SA)^{-1} mean, c = -(mean'A h + log det(I + SA)) / 2, S the
/// covariance. A and S are symmetric and positive semidefinite; S may be singular. Throws std::invalid_argument when
/// shapes differ.
class GaussianIntegral {
public:
    /// A, d x d, and the law of z.
    GaussianIntegral(const Eigen::MatrixXd& a, const Vector& mean, const Eigen::MatrixXd& covariance);

    /// One value for each column a of `exponents`, d x n.
    Vector operator()(const Projections& exponents) const;
    /// n x n': the values at a_i + b_j for columns of both.
    Eigen::MatrixXd of_sums(const Projections& a, const Projections& b) const;

private:
    Eigen::MatrixXd root_;  // G = root root'
    Vector linear_;         // h
    double constant_;       // c
};

}  // namespace rfbench::theory
