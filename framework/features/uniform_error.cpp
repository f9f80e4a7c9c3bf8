#include "rfbench/features/uniform_error.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "rfbench/features/maps/row_tiles.hpp"
#include "rfbench/features/maps/sin_cos.hpp"

namespace rfbench::features {
namespace {

using Matrix = Rows<double>;

/// exp(log_scale + |row|^2 / 2) of every row.
Eigen::ArrayXf row_factors(const FeatureBlock<float>& block, const RowsView<float>& rows) {
    const Eigen::ArrayXf half_squares = 0.5f * rows.rowwise().squaredNorm().array();
    return (block.log_scale.array() + half_squares.cast<double>()).exp().cast<float>();
}

void check_lengths(const RowsView<float>& x, const RowsView<float>& y, const std::vector<Index>& lengths) {
    if (x.rows() != y.rows() || x.cols() != y.cols())
        throw std::invalid_argument("largest_entry_errors: x is " + std::to_string(x.rows()) + " x " +
                                    std::to_string(x.cols()) + ", y is " + std::to_string(y.rows()) + " x " +
                                    std::to_string(y.cols()) + "; they must have one shape");
    if (lengths.empty()) throw std::invalid_argument("largest_entry_errors: no lengths; there must be one or more");
    for (std::size_t k = 0; k < lengths.size(); ++k)
        if (lengths[k] < 1 || lengths[k] > x.rows() || (k > 0 && lengths[k] <= lengths[k - 1]))
            throw std::invalid_argument("largest_entry_errors: length " + std::to_string(lengths[k]) +
                                        "; lengths must ascend from 1 to the number of rows, " +
                                        std::to_string(x.rows()));
}

/// Values of a function at the rows of a matrix, and its gradients, one a row.
struct Values {
    Eigen::ArrayXd value;
    Matrix gradient;
};
using Function = std::function<Values(const Matrix& at)>;

Values trigonometric_error(const Projections& omega, const Matrix& z) {
    // The mean of cos(w.z) less exp(-|z|^2 / 2), and its gradient: the mean of -sin(w.z) w, and z exp(-|z|^2 / 2).
    const double m = static_cast<double>(omega.cols());
    const Matrix angle = z * omega;
    Matrix sine(z.rows(), omega.cols()), cosine(z.rows(), omega.cols());
    sin_cos(angle.data(), angle.size(), sine.data(), cosine.data());
    const Eigen::ArrayXd kernel = (-0.5 * z.rowwise().squaredNorm().array()).exp();
    Matrix gradient = (-1 / m) * sine * omega.transpose();
    gradient.array() += z.array().colwise() * kernel;
    return {cosine.rowwise().mean().array() - kernel, gradient};
}

/// bias: 2A|w|^2 + log D^2; slope: sqrt(1-4A).
Values exponential_error(const Projections& omega, const Eigen::ArrayXd& bias, double slope, const Matrix& z) {
    // The estimate at x = y = z / 2 less exp(|z|^2 / 4). The gradient of a draw is (slope w - z / 2) times it, that of
    // the exact value z / 2 times it.
    const double m = static_cast<double>(omega.cols());
    const Eigen::ArrayXd quarter = 0.25 * z.rowwise().squaredNorm().array();
    Matrix draws = slope * z * omega;
    draws.array().rowwise() += bias.transpose();
    draws.array().colwise() -= quarter;
    draws = draws.array().exp().matrix();
    const Eigen::ArrayXd estimate = draws.rowwise().mean(), exact = quarter.exp();
    Matrix gradient = (slope / m) * draws * omega.transpose();
    gradient.array() -= 0.5 * (z.array().colwise() * (estimate + exact));
    return {estimate - exact, gradient};
}

/// Half of the points on the sphere, half at distances uniform on (0, radius).
Matrix candidates(Index count, Index d, double radius, const Stream& stream) {
    Projections directions(d, count);
    fill_normal(stream.child("direction"), directions);
    Stream lengths = stream.child("length");
    Matrix points = directions.transpose();
    for (Index i = 0; i < count; ++i)
        points.row(i) *= radius * (i % 2 ? lengths.uniform() : 1.0) / points.row(i).norm();
    return points;
}

Matrix best_rows(const Function& f, const Matrix& points, Index count) {
    const Eigen::ArrayXd errors = f(points).value.abs();
    std::vector<Index> order(static_cast<std::size_t>(points.rows()));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return errors[a] > errors[b]; });
    Matrix best(std::min(count, points.rows()), points.cols());
    for (Index i = 0; i < best.rows(); ++i) best.row(i) = points.row(order[static_cast<std::size_t>(i)]);
    return best;
}

/// Steps along the projected gradient of |f| from all starts at once; each grows its step by half when it got higher
/// and halves it when it did not.
double ascend(const Function& f, Matrix points, double radius, int steps) {
    Values now = f(points);
    Eigen::ArrayXd step = Eigen::ArrayXd::Constant(points.rows(), 0.1 * radius);
    for (int s = 0; s < steps; ++s) {
        Matrix next = points;
        for (Index i = 0; i < points.rows(); ++i) {
            const double length = now.gradient.row(i).norm();
            if (length == 0) continue;
            next.row(i) += (now.value[i] < 0 ? -1.0 : 1.0) * step[i] / length * now.gradient.row(i);
            next.row(i) *= std::min(1.0, radius / next.row(i).norm());
        }
        const Values then = f(next);
        for (Index i = 0; i < points.rows(); ++i) {
            const bool higher = std::abs(then.value[i]) > std::abs(now.value[i]);
            step[i] *= higher ? 1.5 : 0.5;
            if (!higher) continue;
            points.row(i) = next.row(i);
            now.value[i] = then.value[i];
            now.gradient.row(i) = then.gradient.row(i);
        }
    }
    return now.value.abs().maxCoeff();
}

double largest(const Function& f, Index d, double radius, const BallSearch& search, const Stream& stream) {
    return ascend(f, best_rows(f, candidates(search.candidates, d, radius, stream), search.starts), radius,
                  search.steps);
}

}  // namespace

std::vector<double> largest_entry_errors(const FeatureMap& map, const RowsView<float>& x, const RowsView<float>& y,
                                         const std::vector<Index>& lengths) {
    check_lengths(x, y, lengths);
    FeatureBlock<float> queries, keys;
    map.evaluate(Side::key, y, keys);
    const Eigen::ArrayXf key_factors = row_factors(keys, y);
    std::vector<double> errors(lengths.size(), 0.0);
    Rows<float> estimate, exact;
    for (Index first = 0; first < lengths.back(); first += tile_rows) {
        const Index n = std::min(tile_rows, lengths.back() - first);
        const auto rows = x.middleRows(first, n);
        map.evaluate(Side::query, rows, queries);
        estimate.noalias() = queries.values * keys.values.transpose();
        estimate.array().colwise() *= row_factors(queries, rows);
        estimate.array().rowwise() *= key_factors.transpose();
        exact.noalias() = rows * y.transpose();
        estimate = (estimate.array() - exact.array().exp()).abs().matrix();
        if (!estimate.allFinite()) return std::vector<double>(lengths.size(), std::numeric_limits<double>::infinity());
        // An entry belongs to the first length above both its row and its column.
        for (Index i = 0; i < n; ++i) {
            const auto level =
                static_cast<std::size_t>(std::upper_bound(lengths.begin(), lengths.end(), first + i) - lengths.begin());
            Index begin = 0;
            for (std::size_t k = 0; k < lengths.size(); ++k) {
                const double high = estimate.row(i).segment(begin, lengths[k] - begin).maxCoeff();
                double& error = errors[std::max(k, level)];
                error = std::max(error, high);
                begin = lengths[k];
            }
        }
    }
    for (std::size_t k = 1; k < errors.size(); ++k) errors[k] = std::max(errors[k], errors[k - 1]);
    return errors;
}

double largest_trigonometric_error(const Projections& omega, double radius, const BallSearch& search,
                                   const Stream& stream) {
    const auto error = [&](const Matrix& z) { return trigonometric_error(omega, z); };
    return std::exp(radius * radius) * largest(error, omega.rows(), 2 * radius, search, stream);
}

double largest_exponential_error(const Projections& omega, double a, double radius, const BallSearch& search,
                                 const Stream& stream) {
    const Eigen::ArrayXd bias = 2 * a * omega.colwise().squaredNorm().transpose().array() +
                                0.5 * static_cast<double>(omega.rows()) * std::log1p(-4 * a);
    const auto error = [&](const Matrix& z) { return exponential_error(omega, bias, std::sqrt(1 - 4 * a), z); };
    return largest(error, omega.rows(), 2 * radius, search, stream);
}

}  // namespace rfbench::features
