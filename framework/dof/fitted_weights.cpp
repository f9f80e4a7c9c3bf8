#include "rfbench/dof/fitted_weights.hpp"

#include <cmath>
#include <stdexcept>

#include "rfbench/statistics/nonnegative_least_squares.hpp"

namespace rfbench::dof {
namespace {

constexpr double log_zero = -1e28;

/// w'Hw - 2 b'w is, up to a constant, the mean of |K - K^|^2 / |K|^2 over sequences.
struct Problem {
    Eigen::MatrixXd h;
    Vector b;
};

void add(const Sequence& sequence, const Projections& points, attention::Visible visible, Problem& problem) {
    check(sequence, visible);
    check_points(points, sequence);
    const Points logs = sequence.queries * sequence.keys.transpose() / std::sqrt(static_cast<double>(points.rows()));
    const Index length = logs.rows(), count = points.cols();
    const auto seen = [&](Index i) { return visible == attention::Visible::causal ? i + 1 : logs.cols(); };
    double highest = logs(0, 0);
    for (Index i = 0; i < length; ++i) highest = std::max(highest, logs.row(i).head(seen(i)).maxCoeff());
    // Products of a query's and a key's feature are relative to the largest entry of K.
    const double half = 0.5 * (highest + std::log(static_cast<double>(count)));
    const Points queries = (log_features(sequence.queries, points).array() - half).exp();
    const Points keys = (log_features(sequence.keys, points).array() - half).exp();

    Eigen::MatrixXd h = Eigen::MatrixXd::Zero(count, count), products = h;  // products: sum of k k' over keys seen
    Vector b = Vector::Zero(count);
    double size = 0;
    Index summed = 0;
    // H = sum_i (q_i q_i') o sum_{j seen by i} k_j k_j', entry by entry. Keys that a query sees are those of the query
    // before it and more: the inner sum only grows.
    for (Index i = 0; i < length; ++i) {
        const Index n = seen(i);
        products.noalias() += keys.middleRows(summed, n - summed).transpose() * keys.middleRows(summed, n - summed);
        summed = n;
        const Vector exact = (logs.row(i).head(n).transpose().array() - highest).exp();
        h.array() += (queries.row(i).transpose() * queries.row(i)).array() * products.array();
        b += queries.row(i).transpose().cwiseProduct(keys.topRows(n).transpose() * exact);
        size += exact.squaredNorm();
    }
    // Over |K|^2, so that each sequence counts alike.
    problem.h += h / size;
    problem.b += b / size;
}

}  // namespace

WeightedFeatures fit_weights(const Projections& points, attention::Visible visible,
                             const std::vector<Sequence>& sequences) {
    if (sequences.empty()) throw std::invalid_argument("weights: there are no sequences to fit to");
    Problem problem{Eigen::MatrixXd::Zero(points.cols(), points.cols()), Vector::Zero(points.cols())};
    for (const Sequence& sequence : sequences) add(sequence, points, visible, problem);
    const Vector weights = statistics::nonnegative_least_squares(problem.h, problem.b);
    return {points, weights.unaryExpr([](double w) { return w > 0 ? std::log(w) : log_zero; })};
}

}  // namespace rfbench::dof
