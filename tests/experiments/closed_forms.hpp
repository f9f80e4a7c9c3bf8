#pragma once
// Kernel estimators written out from their definitions: what studies say of them is compared with this.
#include <cmath>

#include "rfbench/matrix.hpp"

namespace rfbench::closed_forms {

inline double kernel(const Vector& x, const Vector& y) { return std::exp(-0.5 * (x - y).squaredNorm()); }

/// Z of one omega: exponential features exp(2A|w|^2 + B w.(x + y) - s) (1 - 4A)^(d/2), B^2 = 1 - 4A, s = |x|^2 + |y|^2;
/// positive ones have A = 0.
inline double exponential(double a, const Vector& w, const Vector& x, const Vector& y) {
    const double d = static_cast<double>(w.size());
    return std::pow(1 - 4 * a, d / 2) *
           std::exp(2 * a * w.squaredNorm() + std::sqrt(1 - 4 * a) * w.dot(x + y) - x.squaredNorm() - y.squaredNorm());
}
inline double trigonometric(const Vector& w, const Vector& x, const Vector& y) { return std::cos(w.dot(x - y)); }

/// Var Z. Of exponential features E Z^2 is a Gaussian integral.
inline double log_variance_exponential(double a, const Vector& x, const Vector& y) {
    const double d = static_cast<double>(x.size());
    const double log_square = d * std::log(1 - 4 * a) - d / 2 * std::log(1 - 8 * a) +
                              2 * (1 - 4 * a) / (1 - 8 * a) * (x + y).squaredNorm() -
                              2 * (x.squaredNorm() + y.squaredNorm());
    return log_square + std::log1p(-std::exp(-(x - y).squaredNorm() - log_square));
}
inline double log_variance_trigonometric(const Vector& x, const Vector& y) {
    return 2 * std::log1p(-std::pow(kernel(x, y), 2)) - std::log(2.0);
}

/// The A of optimal-positive: least mean of log E Z^2 over all pairs of rows, by trial.
inline double best_a(const Points& x, const Points& y) {
    double plus = 0;
    for (Index i = 0; i < x.rows(); ++i) plus += (y.rowwise() + x.row(i)).rowwise().squaredNorm().mean();
    plus /= static_cast<double>(x.rows());
    const double d = static_cast<double>(x.cols());
    const auto mean = [&](double a) {
        return d * std::log(1 - 4 * a) - d / 2 * std::log(1 - 8 * a) + 2 * (1 - 4 * a) / (1 - 8 * a) * plus;
    };
    double low = -100, high = 0;
    for (int i = 0; i < 200; ++i) {
        const double first = low + (high - low) / 3, second = high - (high - low) / 3;
        (mean(first) < mean(second) ? high : low) = mean(first) < mean(second) ? second : first;
    }
    return low;
}
inline double best_a(const Vector& x, const Vector& y) { return best_a(Points(x.transpose()), Points(y.transpose())); }

/// E Z_1 Z_2 - K^2 of two omegas of one block in the plane, whose directions are so many degrees apart (a multiple of
/// 10) and whose lengths are independent: by Simpson's rule over each length and equal steps of the common rotation.
template <class Z>
double covariance_in_plane(const Z& z, const Vector& x, const Vector& y, int degrees) {
    constexpr int turns = 36, steps = 2400;
    constexpr double reach = 12, h = reach / steps;
    double over_lengths[turns] = {};
    for (int turn = 0; turn < turns; ++turn)
        for (int i = 1; i <= steps; ++i) {
            const double r = i * h, angle = 2 * M_PI * turn / turns;
            over_lengths[turn] += (i == steps   ? 1
                                   : i % 2 == 1 ? 4
                                                : 2) *
                                  h / 3 * r * std::exp(-r * r / 2) *
                                  z(Vector{{r * std::cos(angle), r * std::sin(angle)}}, x, y);
        }
    double mean = 0;
    for (int turn = 0; turn < turns; ++turn)
        mean += over_lengths[turn] * over_lengths[(turn + degrees / 10) % turns] / turns;
    return mean - std::pow(kernel(x, y), 2);
}

/// The same in space of two omegas at right angles, of a Z that depends on |w| and on w along one direction alone, to
/// which `across` is perpendicular; `mean` is E Z. The cosine of the first's direction is uniform; the second's is a
/// point of the circle at right angles to it. By Simpson's rule over lengths and cosine, equal steps of the circle.
template <class Z>
double covariance_in_space(const Z& z, const Vector& x, const Vector& y, const Vector& along, const Vector& across,
                           double mean) {
    constexpr int cosines = 100, turns = 32, steps = 240;
    constexpr double reach = 12, h = reach / steps;
    const auto simpson = [](int i, int last) { return (i == 0 || i == last ? 1.0 : i % 2 == 1 ? 4.0 : 2.0) / 3; };
    const auto over_lengths = [&](double cosine) {
        const Vector direction = cosine * along + std::sqrt(std::max(0.0, 1 - cosine * cosine)) * across;
        double sum = 0;
        for (int i = 1; i <= steps; ++i) {
            const double r = i * h;
            sum += simpson(i, steps) * h * std::sqrt(2 / M_PI) * r * r * std::exp(-r * r / 2) * z(r * direction, x, y);
        }
        return sum;
    };
    double both = 0;
    for (int i = 0; i <= cosines; ++i) {
        const double cosine = 2.0 * i / cosines - 1, sine = std::sqrt(std::max(0.0, 1 - cosine * cosine));
        double around = 0;
        for (int turn = 0; turn < turns; ++turn)
            around += over_lengths(sine * std::cos(2 * M_PI * turn / turns)) / turns;
        both += simpson(i, cosines) / cosines * over_lengths(cosine) * around;
    }
    return both - mean * mean;
}

/// exp(q.k / sqrt d), and what omegas make of it: x = q d^(-1/4), y = k d^(-1/4), exp((|x|^2 + |y|^2) / 2) mean Z.
inline Points softmax_kernel(const Points& queries, const Points& keys) {
    return (queries * keys.transpose() / std::sqrt(static_cast<double>(queries.cols()))).array().exp();
}
template <class Z>
Points softmax_kernel(const Z& z, const Projections& omega, const Points& queries, const Points& keys) {
    const double unit = std::pow(static_cast<double>(queries.cols()), -0.25);
    Points all = Points::Zero(queries.rows(), keys.rows());
    for (Index i = 0; i < all.rows(); ++i)
        for (Index j = 0; j < all.cols(); ++j) {
            const Vector x = unit * queries.row(i), y = unit * keys.row(j);
            for (Index m = 0; m < omega.cols(); ++m) all(i, j) += z(omega.col(m), x, y);
            all(i, j) *= std::exp((x.squaredNorm() + y.squaredNorm()) / 2) / static_cast<double>(omega.cols());
        }
    return all;
}

/// Means of the values by these weights.
inline Points weighted(const Points& weights, const Points& values) {
    return weights.rowwise().sum().cwiseInverse().asDiagonal() * weights * values;
}

}  // namespace rfbench::closed_forms
