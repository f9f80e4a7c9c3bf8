#include "rfbench/dof/density_errors.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "rfbench/decompositions/cholesky.hpp"
#include "rfbench/decompositions/symmetric_eigen.hpp"
#include "rfbench/dof/operator_error.hpp"
#include "rfbench/random/stream.hpp"
#include "rfbench/text/number.hpp"

namespace rfbench::dof {
namespace {

using Eigen::MatrixXd;

/// S as a matrix over the points.
MatrixXd operator_of(const PointsView& points) {
    const double count = static_cast<double>(points.rows());
    return (points * points.transpose() / std::sqrt(static_cast<double>(points.cols()))).array().exp() / count;
}

/// Largest absolute eigenvalue of a symmetric matrix.
double norm_of(const MatrixXd& symmetric) {
    return decompositions::symmetric_eigenvalues(symmetric).cwiseAbs().maxCoeff();
}

MatrixXd power(const decompositions::SymmetricEigen& of, double ridge, double exponent) {
    const Vector values = (of.values.array().max(0) + ridge).pow(exponent);
    return of.vectors * values.asDiagonal() * of.vectors.transpose();
}

/// max over nu of nu (|S^(1/2) (S^ + nu)^-1 S^(1/2)| - 4), which the infimum's dual is.
double approximation_error(const MatrixXd& root, const MatrixXd& estimate, double size) {
    double best = 0;
    for (double log_nu = std::log(size) - 18; log_nu < std::log(size) + 3; log_nu += 0.25) {
        const double nu = std::exp(log_nu);
        MatrixXd ridged = estimate;
        ridged.diagonal().array() += nu;
        const MatrixXd half = decompositions::Cholesky(std::move(ridged)).solve_lower(root);
        best = std::max(best, nu * (norm_of(half.transpose() * half) - 4));
    }
    return best;
}

}  // namespace

DensityErrors density_errors(const PointsView& points, const WeightedFeatures& features, double lambda) {
    if (!(lambda > 0) || !std::isfinite(lambda))
        throw std::invalid_argument("density errors: lambda is " + shortest_text(lambda) +
                                    "; it must be positive and finite");
    const double count = static_cast<double>(points.rows());
    const MatrixXd exact = operator_of(points);
    Points own = log_features(points, features.points);
    own.rowwise() += 0.5 * features.log_weights.transpose();
    own.array() = (own.array() - 0.5 * std::log(count * static_cast<double>(own.cols()))).exp();
    const MatrixXd estimate = own * own.transpose(), difference = exact - estimate;

    const auto spectrum = decompositions::symmetric_eigen(exact);
    const MatrixXd whitened = power(spectrum, lambda, -0.5) * difference * power(spectrum, lambda, -0.5);
    const auto integral = [&](double alpha) {
        const MatrixXd product = difference * power(spectrum, lambda, -alpha);
        return std::sqrt(norm_of(product.transpose() * product));
    };
    const auto normalised = [](const MatrixXd& kernel) {
        return MatrixXd(kernel.rowwise().sum().cwiseInverse().asDiagonal() * kernel);
    };
    const MatrixXd attention = normalised(exact);
    return {norm_of(0.5 * (whitened + whitened.transpose())),
            difference.squaredNorm(),
            integral(0),
            integral(0.25),
            integral(0.5),
            (normalised(estimate) - attention).norm() / attention.norm(),
            approximation_error(power(spectrum, 0, 0.5), estimate, exact.trace()),
            estimate.trace()};
}

OperatorSize operator_size(const PointsView& points) {
    const MatrixXd exact = operator_of(points);
    return {exact.trace(), norm_of(exact)};
}

double degrees_of_limit_density(const PointsView& points, double lambda) {
    const MatrixXd exact = operator_of(points);
    const MatrixXd inverse = power(decompositions::symmetric_eigen(exact), lambda, -1);
    // phi' (K + J lambda)^-1 phi / q_inf = tr S phi' (S + lambda)^-1 phi / |phi|^2.
    double largest = 0;
    const auto look = [&](const Vector& z) {
        Vector phi = log_features(points, z).col(0);
        phi = (phi.array() - phi.maxCoeff()).exp();
        largest = std::max(largest, phi.dot(inverse * phi) / phi.squaredNorm());
    };
    constexpr Index num_directions = 2048;
    // At this length phi is nothing but the outermost point in the direction, and points less than 1e-5 behind it.
    constexpr double far = 1e7;
    MatrixXd directions(points.cols(), num_directions + points.rows());
    fill_normal(Stream(1), directions);
    directions.rightCols(points.rows()) = points.transpose();
    for (Index k = 0; k < directions.cols(); ++k) {
        const double norm = directions.col(k).norm();
        if (norm == 0) continue;
        for (double length = 0.125; length < 200; length *= 1.25) look(directions.col(k) * (length / norm));
        look(directions.col(k) * (far / norm));
    }
    return exact.trace() * largest;
}

double tail_of_lemma_2(double n, double count, double t) {
    const double log_term = std::log1p(count * t / n);
    return 2 * n * (1 + 6 / (t * t * log_term * log_term)) * std::exp(-0.5 * count * t * t / (n * (1 + t / 3)));
}

double allowed_error(double n, double count, double delta) {
    if (sufficient_features(n, 3, delta) > count) return std::numeric_limits<double>::quiet_NaN();
    double low = 1e-9, high = 3;
    for (int step = 0; step < 200; ++step) {
        const double middle = std::sqrt(low * high);
        (sufficient_features(n, middle, delta) > count ? low : high) = middle;
    }
    return high;
}

double bound_theorem_6(const OperatorSize& size, double lambda, double t, double delta) {
    return lambda * t / delta * 5 * size.trace + t * t * size.trace * size.norm;
}

double bound_theorem_7(const OperatorSize& size, double lambda, double t, double alpha) {
    return std::sqrt(2.0) * (std::max(size.norm, std::sqrt(size.norm)) + std::pow(lambda, 1 - alpha)) * t;
}

double bound_theorem_7_sharper(const OperatorSize& size, double lambda, double t, double alpha) {
    return t * std::pow(size.norm + lambda, 1 - alpha);
}

}  // namespace rfbench::dof
