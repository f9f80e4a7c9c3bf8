#include "rfbench/dof/operator_error.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "rfbench/decompositions/cholesky.hpp"
#include "rfbench/decompositions/symmetric_eigen.hpp"
#include "rfbench/text/number.hpp"
#include "rfbench/theory/special.hpp"

namespace rfbench::dof {
namespace {

/// Log of the kernel at all pairs.
Eigen::MatrixXd log_kernel(const PointsView& points) {
    return points * points.transpose() / std::sqrt(static_cast<double>(points.cols()));
}

/// Gram matrices of the kernel and of its estimate, entry (i, j) of both divided by exp(scale_i + scale_j).
struct Matrices {
    Eigen::MatrixXd exact, estimate;

    Matrices(const PointsView& points, const WeightedFeatures& features, const Eigen::MatrixXd& logs,
             const Vector& scale) {
        const Index count = points.rows();
        exact = logs - (scale.replicate(1, count) + scale.transpose().replicate(count, 1));
        exact = exact.array().exp();
        Points own = log_features(points, features.points);
        // Each side of the product has the root of alpha / M.
        own.rowwise() += 0.5 * features.log_weights.transpose();
        own.colwise() -= (scale.array() + 0.5 * std::log(static_cast<double>(own.cols()))).matrix();
        own = own.array().exp();
        estimate = own * own.transpose();
    }
};

}  // namespace

double relative_operator_error(const PointsView& points, const WeightedFeatures& features, double lambda) {
    if (!(lambda > 0) || !std::isfinite(lambda))
        throw std::invalid_argument("operator error: lambda is " + shortest_text(lambda) +
                                    "; it must be positive and finite");
    const Eigen::MatrixXd logs = log_kernel(points);
    const double highest = logs.diagonal().maxCoeff(), count = static_cast<double>(points.rows());
    // Rows and columns may be scaled at will, which changes L below and nothing else. One scale serves all rows as long
    // as the ridge over the largest entry is within double's range; beyond, each row has its own diagonal entry's.
    Vector scale = Vector::Constant(points.rows(), 0.5 * highest);
    Vector ridge = Vector::Constant(points.rows(), count * lambda * std::exp(-highest));
    const double log_ridge = std::log(count) + std::log(lambda);
    if (std::abs(log_ridge - highest) > 700) {
        for (Index i = 0; i < scale.size(); ++i) scale[i] = 0.5 * theory::log_add(logs(i, i), log_ridge);
        ridge = (log_ridge - 2 * scale.array()).exp();
    }
    const Matrices of(points, features, logs, scale);
    // With K + J lambda = L L', L^-1 D L'^-1 is orthogonally similar to D between two inverse square roots: the norm is
    // the same, and no eigenvectors are needed.
    Eigen::MatrixXd ridged = of.exact;
    ridged.diagonal() += ridge;
    const decompositions::Cholesky root(std::move(ridged));
    if (!root.positive_definite())
        throw std::invalid_argument("operator error: with lambda = " + shortest_text(lambda) +
                                    " the kernel's matrix plus lambda is singular to rounding, as points repeat or lie "
                                    "close together; take a larger lambda");
    const Eigen::MatrixXd half = root.solve_lower(of.exact - of.estimate);
    const Eigen::MatrixXd whole = root.solve_lower(half.transpose());
    return decompositions::symmetric_eigenvalues(0.5 * (whole + whole.transpose())).cwiseAbs().maxCoeff();
}

double relative_kernel_error(const PointsView& points, const WeightedFeatures& features) {
    const Eigen::MatrixXd logs = log_kernel(points);
    // Over the kernel's largest entry, which by Cauchy and Schwarz is on the diagonal.
    const Matrices of(points, features, logs, Vector::Constant(points.rows(), 0.5 * logs.diagonal().maxCoeff()));
    return (of.exact - of.estimate).norm() / of.exact.norm();
}

double sufficient_features(double n, double t, double delta) {
    return 4 * n / (t * t) * std::log(64 * n / (delta * t * t));
}

double sufficient_features_as_printed(double n, double t, double delta) {
    return 4 * n / t * std::log(64 * n / (delta * t));
}

}  // namespace rfbench::dof
