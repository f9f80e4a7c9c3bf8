#include "rfbench/attention/nystrom.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/nystrom_backward.hpp"

namespace rfbench::attention {
namespace {

/// First token of segment s of `count` tokens.
Index segment_begin(Index s, Index count, Index segments) { return s * count / segments; }

/// Means of segments of the rows numbered `chosen`.
template <class Scalar>
Rows<Scalar> segment_means(const RowsView<Scalar>& rows, const std::vector<Index>& chosen, Index segments) {
    const Index count = static_cast<Index>(chosen.size());
    // In double: a segment may be as long as the sequence.
    Points means(segments, rows.cols());
    for (Index s = 0; s < segments; ++s) {
        const Index first = segment_begin(s, count, segments), end = segment_begin(s + 1, count, segments);
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

/// Sends the gradient of segments' means back to their rows.
template <class Scalar>
void add_to_segments(const Points& by_means, const std::vector<Index>& chosen, Rows<Scalar>& by_rows) {
    const Index count = static_cast<Index>(chosen.size()), segments = by_means.rows();
    for (Index s = 0; s < segments; ++s) {
        const Index first = segment_begin(s, count, segments), end = segment_begin(s + 1, count, segments);
        const Eigen::RowVectorXd share = by_means.row(s) / static_cast<double>(end - first);
        for (Index i = first; i < end; ++i)
            by_rows.row(chosen[static_cast<std::size_t>(i)]) += share.template cast<Scalar>();
    }
}

/// 0, 1, ..., count - 1.
std::vector<Index> numbers(Index count) {
    std::vector<Index> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), Index{0});
    return all;
}

/// The gradient of B, U = B^+ W having the gradient G: with Z = B^+, of constant rank,
///
///     dB = -(Z' G) U' + (W - B U) (Z Z' G)' + (Z' U) (G - Z B G)',
///
/// of which the last two are zero where B can be inverted (Golub and Pereyra 1973, (4.12)).
Points by_inverted(const Points& b, const Points& inverse, const Points& w, const Points& u, const Points& g,
                   Points& by_w) {
    by_w = inverse.transpose() * g;
    return -by_w * u.transpose() + (w - b * u) * (inverse * by_w).transpose() +
           (inverse.transpose() * u) * (g - inverse * (b * g)).transpose();
}

}  // namespace

template <class Scalar>
Outcome nystrom(Index landmarks, const Inputs<Scalar>& in, Rows<Scalar>& out, NystromPass<Scalar>& pass) {
    check(in, Visible::all, out);
    if (landmarks <= 0)
        throw std::invalid_argument("nystrom: " + std::to_string(landmarks) + " landmarks; there must be one or more");
    const std::vector<Index> queries = numbers(in.queries.rows());
    pass.kept.clear();
    for (Index j = 0; j < in.keys.rows(); ++j)
        if (in.keeps(j)) pass.kept.push_back(j);
    // Without a query or a kept key the result is that of exact attention.
    if (queries.empty() || pass.kept.empty()) return exact(in, Visible::all, out);

    const auto at_most = [&](const auto& tokens) { return std::min(landmarks, static_cast<Index>(tokens.size())); };
    pass.queries = segment_means<Scalar>(in.queries, queries, at_most(queries));
    pass.keys = segment_means<Scalar>(in.keys, pass.kept, at_most(pass.kept));

    // From the right, so that nothing is larger than m x L: S(Q~, K) V, then the pseudo-inverse times it, which are the
    // values of the landmark keys that all queries attend to.
    exact<Scalar>({pass.queries, in.keys, in.values, in.kept}, Visible::all, pass.seen, pass.seen_sums);
    // Singular values that are rounding errors of Scalar count as zero.
    const double rounding = static_cast<double>(std::max(pass.queries.rows(), pass.keys.rows())) *
                            static_cast<double>(std::numeric_limits<Scalar>::epsilon());
    pass.between = softmax_of_scores<Scalar>(pass.queries, pass.keys);
    pass.inverse = decompositions::PseudoInverse(pass.between, rounding);
    pass.values = pass.inverse.times(pass.seen.template cast<double>()).template cast<Scalar>();
    return exact<Scalar>({in.queries, pass.keys, pass.values}, Visible::all, out, pass.sums);
}

template <class Scalar>
Outcome nystrom(Index landmarks, const Inputs<Scalar>& in, Rows<Scalar>& out) {
    NystromPass<Scalar> unused;
    return nystrom(landmarks, in, out, unused);
}

template <class Scalar>
void nystrom_backward(const Inputs<Scalar>& in, const NystromPass<Scalar>& pass, const Rows<Scalar>& out,
                      const RowsView<Scalar>& output_gradient, Gradients<Scalar>& to) {
    check_gradients(in, output_gradient, to);
    to.queries.setZero(in.queries.rows(), in.queries.cols());
    to.keys.setZero(in.keys.rows(), in.keys.cols());
    to.values.setZero(in.values.rows(), in.values.cols());
    to.left_out = 0;
    if (in.queries.rows() == 0 || pass.kept.empty()) return;

    // Queries attend to landmark keys, with the inverse times the landmark queries' outputs as values.
    Gradients<Scalar> by;
    exact_backward<Scalar>({in.queries, pass.keys, pass.values}, Visible::all, out, pass.sums, output_gradient, by);
    to.queries = by.queries;
    Points by_keys = by.keys.template cast<double>(), by_seen;
    const Points by_between =
        by_inverted(pass.between, pass.inverse.matrix(), pass.seen.template cast<double>(),
                    pass.values.template cast<double>(), by.values.template cast<double>(), by_seen);

    // Between landmarks: through B = softmax(Q~ K~' / sqrt d).
    Points slopes = by_between.cwiseProduct(pass.between);
    // dS_ij = B_ij (dB_ij - sum_l B_il dB_il).
    const Vector sums = slopes.rowwise().sum();
    slopes -= sums.asDiagonal() * pass.between;
    slopes /= std::sqrt(static_cast<double>(in.queries.cols()));
    Points by_queries = slopes * pass.keys.template cast<double>();
    by_keys += slopes.transpose() * pass.queries.template cast<double>();

    // Outputs of the landmark queries over all keys.
    const Rows<Scalar> own = by_seen.template cast<Scalar>();
    exact_backward<Scalar>({pass.queries, in.keys, in.values, in.kept}, Visible::all, pass.seen, pass.seen_sums, own,
                           by);
    to.keys = by.keys;
    to.values = by.values;
    by_queries += by.queries.template cast<double>();
    add_to_segments(by_queries, numbers(in.queries.rows()), to.queries);
    add_to_segments(by_keys, pass.kept, to.keys);
}

template Outcome nystrom(Index, const Inputs<float>&, Rows<float>&);
template Outcome nystrom(Index, const Inputs<double>&, Rows<double>&);
template Outcome nystrom(Index, const Inputs<float>&, Rows<float>&, NystromPass<float>&);
template Outcome nystrom(Index, const Inputs<double>&, Rows<double>&, NystromPass<double>&);
template void nystrom_backward(const Inputs<float>&, const NystromPass<float>&, const Rows<float>&,
                               const RowsView<float>&, Gradients<float>&);
template void nystrom_backward(const Inputs<double>&, const NystromPass<double>&, const Rows<double>&,
                               const RowsView<double>&, Gradients<double>&);

}  // namespace rfbench::attention
