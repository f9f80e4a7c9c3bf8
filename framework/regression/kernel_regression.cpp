#include "rfbench/regression/kernel_regression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace rfbench::regression {
namespace {

/// Whether |y|^2 - 2 x.y loses digits that weights show: an error of gamma^2 |x - y|^2 / 2 above `allowed` is possible
/// where coordinates are far from 0 against their distances.
bool cancels(const Vector& norms, const PointsView& queries, const std::vector<double>& gammas) {
    constexpr double allowed = 1e-3;
    if (queries.rows() == 0 || gammas.empty()) return false;
    const double row = norms.maxCoeff(), query = queries.rowwise().squaredNorm().maxCoeff();
    const double gamma = *std::max_element(gammas.begin(), gammas.end());
    const double error = std::numeric_limits<double>::epsilon() * (row + 2 * std::sqrt(row) * std::sqrt(query));
    return !(error * gamma * gamma / 2 <= allowed);
}

/// |x - y|^2 from differences: query x a row, training row y a column.
void put_squares(const Points& training, const PointsView& queries, Points& squares) {
    squares.resize(queries.rows(), training.rows());
    for (Index i = 0; i < queries.rows(); ++i)
        squares.row(i) = (training.rowwise() - queries.row(i)).rowwise().squaredNorm().transpose();
    if (!squares.allFinite())
        throw std::invalid_argument(
            "kernel regression: squared distances of rows leave the range of double; bring columns to one scale");
}

}  // namespace

std::vector<Predictions> kernel_regression(const ClassifiedRows& training, const PointsView& queries,
                                           const std::vector<double>& gammas) {
    constexpr Index tile = 16;
    const auto parts = static_cast<Index>(training.parts());
    const Vector norms = training.rows.rowwise().squaredNorm();
    const bool by_differences = cancels(norms, queries, gammas);
    Vector log_sizes(parts), closest(parts);
    for (Index part = 0; part < parts; ++part)
        log_sizes[part] = std::log(static_cast<double>(training.rows_of(static_cast<std::size_t>(part))));
    std::vector<Predictions> results(gammas.size());
    Points squares;
    for (Index first = 0; first < queries.rows(); first += tile) {
        const auto rows = queries.middleRows(first, std::min(tile, queries.rows() - first));
        if (by_differences) {
            put_squares(training.rows, rows, squares);
        } else {
            // |x - y|^2 up to |x|^2, which all of a row share.
            squares.noalias() = -2 * rows * training.rows.transpose();
            squares.rowwise() += norms.transpose();
        }
        for (Index i = 0; i < rows.rows(); ++i) {
            const auto of_part = [&](Index part) {
                const auto p = static_cast<std::size_t>(part);
                return squares.row(i).segment(training.starts[p], training.rows_of(p)).array();
            };
            for (Index part = 0; part < parts; ++part) closest[part] = of_part(part).minCoeff();
            const double nearest = closest.minCoeff();
            for (std::size_t g = 0; g < gammas.size(); ++g) {
                const double rate = -0.5 * gammas[g] * gammas[g];
                double most = -1;
                int best = Predictions::undecided;
                for (Index part = 0; part < parts; ++part) {
                    // All of its rows at its closest one's distance would make less than the nearest row's own 1.
                    if (log_sizes[part] + rate * (closest[part] - nearest) < -1e-9) continue;
                    const double score = (rate * (of_part(part) - nearest)).exp().sum();
                    if (score > most) most = score, best = training.classes[static_cast<std::size_t>(part)];
                }
                results[g].classes.push_back(best);
            }
        }
    }
    return results;
}

Predictions majority(const ClassifiedRows& training, Index n) {
    return {std::vector<int>(static_cast<std::size_t>(n), training.classes.front())};
}

}  // namespace rfbench::regression
