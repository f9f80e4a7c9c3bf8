#include "rfbench/dof/operator_error.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "rfbench/decompositions/cholesky.hpp"
#include "rfbench/decompositions/symmetric_eigen.hpp"

namespace rfbench::dof {
namespace {

/// Gram matrices of the kernel and of its estimate, both divided by exp(highest), the kernel's largest entry.
struct Matrices {
    Eigen::MatrixXd exact, estimate;
    double highest;

    Matrices(const PointsView& points, const WeightedFeatures& features) {
        exact = points * points.transpose() / std::sqrt(static_cast<double>(points.cols()));
        highest = exact.diagonal().maxCoeff();
        exact = (exact.array() - highest).exp();
        Points own = log_features(points, features.points);
        // Each side of the product has the root of alpha / (M exp(highest)).
        own.rowwise() += 0.5 * features.log_weights.transpose();
        own = (own.array() - 0.5 * (highest + std::log(static_cast<double>(own.cols())))).exp();
        estimate = own * own.transpose();
    }
};

}  // namespace

double relative_operator_error(const PointsView& points, const WeightedFeatures& features, double lambda) {
    if (!(lambda > 0) || !std::isfinite(lambda))
        throw std::invalid_argument("operator error: lambda is " + std::to_string(lambda) +
                                    "; it must be positive and finite");
    const Matrices of(points, features);
    const Index count = points.rows();
    const double ridge = static_cast<double>(count) * lambda * std::exp(-of.highest);
    // With K + J lambda = L L', L^-1 D L'^-1 is orthogonally similar to D between two inverse square roots: the norm is
    // the same, and no eigenvectors are needed.
    const decompositions::Cholesky root(of.exact + ridge * Eigen::MatrixXd::Identity(count, count));
    const Eigen::MatrixXd half = root.solve_lower(of.exact - of.estimate);
    const Eigen::MatrixXd whole = root.solve_lower(half.transpose());
    return decompositions::symmetric_eigenvalues(0.5 * (whole + whole.transpose())).cwiseAbs().maxCoeff();
}

double relative_kernel_error(const PointsView& points, const WeightedFeatures& features) {
    const Matrices of(points, features);
    return (of.exact - of.estimate).norm() / of.exact.norm();
}

double sufficient_features(double n, double t, double delta) {
    return 4 * n / (t * t) * std::log(64 * n / (delta * t * t));
}

double sufficient_features_as_printed(double n, double t, double delta) {
    return 4 * n / t * std::log(64 * n / (delta * t));
}

}  // namespace rfbench::dof
