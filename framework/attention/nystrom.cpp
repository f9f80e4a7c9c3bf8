#include "rfbench/attention/nystrom.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "rfbench/attention/exact.hpp"

namespace rfbench::attention {
namespace {

/// Means of segments of the rows numbered `chosen`.
template <class Scalar>
Rows<Scalar> segment_means(const RowsView<Scalar>& rows, const std::vector<Index>& chosen, Index segments) {
    const Index count = static_cast<Index>(chosen.size());
    // In double: a segment may be as long as the sequence.
    Points means(segments, rows.cols());
    for (Index s = 0; s < segments; ++s) {
        const Index first = s * count / segments, end = (s + 1) * count / segments;
        Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(rows.cols());
        for (Index i = first; i < end; ++i)
            sum += rows.row(chosen[static_cast<std::size_t>(i)]).template cast<double>();
        means.row(s) = sum / static_cast<double>(end - first);
    }
    return means.template cast<Scalar>();
}

template <class Scalar>
Points softmax_of_scores(const Rows<Scalar>& queries, const Rows<Scalar>& keys) {
    Points scores = queries.template cast<double>() * keys.template cast<double>().transpose();
    scores /= std::sqrt(static_cast<double>(queries.cols()));
    for (Index i = 0; i < scores.rows(); ++i) {
        auto row = scores.row(i).array();
        const double high = row.maxCoeff();
        row = (row - high).exp();
        const double sum = row.sum();
        row /= sum;
    }
    return scores;
}

}  // namespace

template <class Scalar>
Outcome nystrom(Index landmarks, const Inputs<Scalar>& in, Rows<Scalar>& out) {
    check(in, Visible::all, out);
    if (landmarks <= 0)
        throw std::invalid_argument("nystrom: " + std::to_string(landmarks) + " landmarks; there must be one or more");
    std::vector<Index> queries, keys;
    for (Index i = 0; i < in.queries.rows(); ++i) queries.push_back(i);
    for (Index j = 0; j < in.keys.rows(); ++j)
        if (in.keeps(j)) keys.push_back(j);
    // Nobody sees or is seen: as exact attention has it.
    if (queries.empty() || keys.empty()) return exact(in, Visible::all, out);

    const auto at_most = [&](const auto& tokens) { return std::min(landmarks, static_cast<Index>(tokens.size())); };
    const Rows<Scalar> some_queries = segment_means<Scalar>(in.queries, queries, at_most(queries));
    const Rows<Scalar> some_keys = segment_means<Scalar>(in.keys, keys, at_most(keys));

    // From the right, so that nothing is larger than m x L: S(Q~, K) V, then the pseudo-inverse times it, which are the
    // values of the landmark keys that all queries attend to.
    Rows<Scalar> seen;
    exact<Scalar>({some_queries, in.keys, in.values, in.kept}, Visible::all, seen);
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> between;
    // Singular values that are rounding errors of Scalar count as zero.
    between.setThreshold(static_cast<double>(std::max(some_queries.rows(), some_keys.rows())) *
                         static_cast<double>(std::numeric_limits<Scalar>::epsilon()));
    between.compute(softmax_of_scores<Scalar>(some_queries, some_keys));
    const Rows<Scalar> values = between.solve(Eigen::MatrixXd(seen.template cast<double>())).template cast<Scalar>();
    return exact<Scalar>({in.queries, some_keys, values}, Visible::all, out);
}

template Outcome nystrom(Index, const Inputs<float>&, Rows<float>&);
template Outcome nystrom(Index, const Inputs<double>&, Rows<double>&);

}  // namespace rfbench::attention
