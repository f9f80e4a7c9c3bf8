#pragma once
// The definitions that methods are checked against: whole matrices, in double.
#include <cmath>
#include <limits>
#include <vector>

#include "rfbench/attention/inputs.hpp"

/// Which queries see which keys.
using Seen = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic>;

inline Seen seen(rfbench::Index queries, rfbench::Index keys, rfbench::attention::Visible visible,
                 const std::vector<unsigned char>& kept = {}) {
    Seen all(queries, keys);
    for (rfbench::Index i = 0; i < queries; ++i)
        for (rfbench::Index j = 0; j < keys; ++j)
            all(i, j) = (visible == rfbench::attention::Visible::all || j <= i) &&
                        (kept.empty() || kept[static_cast<std::size_t>(j)] != 0);
    return all;
}

/// softmax(Q K' / sqrt d) over seen keys; a row that sees none is zero.
inline rfbench::Points softmax_weights(const rfbench::Points& q, const rfbench::Points& k, const Seen& seen) {
    const rfbench::Points scores = q * k.transpose() / std::sqrt(static_cast<double>(q.cols()));
    rfbench::Points weights = rfbench::Points::Zero(q.rows(), k.rows());
    for (rfbench::Index i = 0; i < q.rows(); ++i) {
        double high = -std::numeric_limits<double>::infinity(), sum = 0;
        for (rfbench::Index j = 0; j < k.rows(); ++j)
            if (seen(i, j)) high = std::max(high, scores(i, j));
        for (rfbench::Index j = 0; j < k.rows(); ++j)
            if (seen(i, j)) sum += weights(i, j) = std::exp(scores(i, j) - high);
        if (sum > 0) weights.row(i) /= sum;
    }
    return weights;
}

/// By how much two ways of computing softmax attention may differ: each score is off by d + 2 ulps of sum |q_l k_l| /
/// sqrt d, each weighted sum by L ulps; both sides have such errors.
inline double softmax_tolerance(const rfbench::Points& q, const rfbench::Points& k, const rfbench::Points& v,
                                double epsilon = std::numeric_limits<double>::epsilon()) {
    if (q.size() == 0 || v.size() == 0) return 0;
    const double score =
        (q.cwiseAbs() * k.cwiseAbs().transpose()).maxCoeff() / std::sqrt(static_cast<double>(q.cols()));
    const double terms = 2 * (static_cast<double>(q.cols()) + 4) * (score + 1) + 2 * static_cast<double>(k.rows());
    return 2 * terms * epsilon * v.cwiseAbs().maxCoeff();
}
