#pragma once
// Measures of the studies of degrees of freedom, written out with whole matrices, on heads that are small.
#include <cmath>

#include "experiments/cells.hpp"
#include "rfbench/dof/operator_error.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/training/point_training.hpp"
#include "sources/heads.hpp"

namespace rfbench::written_out {

using namespace rfbench::experiments;

inline const std::string small_heads =
    "heads: {use: decaying, scales: [1, 0.5], decays: [0, 1], dimension: 4, length: 24, sequences: 4}\n";

/// exp(q.k / sqrt d), zero where a key is later than the query.
inline Points causal_kernel(const Points& queries, const Points& keys) {
    Points kernel = (queries * keys.transpose() / std::sqrt(static_cast<double>(queries.cols()))).array().exp();
    for (Index i = 0; i < kernel.rows(); ++i) kernel.row(i).tail(kernel.cols() - i - 1).setZero();
    return kernel;
}

/// Features phi(x; z) sqrt(alpha / M), written out.
inline Points features_at(const Points& rows, const dof::WeightedFeatures& at) {
    const double d = static_cast<double>(rows.cols());
    Points exponent = rows * at.points / std::pow(d, 0.25);
    exponent.colwise() -= rows.rowwise().squaredNorm() / (2 * std::sqrt(d));
    exponent.rowwise() += at.log_weights.transpose() / 2;
    return exponent.array().exp() / std::sqrt(static_cast<double>(at.points.cols()));
}

inline Points causal_estimate(const HeadSequence& of, const dof::WeightedFeatures& features) {
    Points kernel = features_at(of.tokens.queries, features) * features_at(of.tokens.keys, features).transpose();
    for (Index i = 0; i < kernel.rows(); ++i) kernel.row(i).tail(kernel.cols() - i - 1).setZero();
    return kernel;
}

/// Rows divided by their sums.
inline Points shares(const Points& kernel) { return kernel.rowwise().sum().cwiseInverse().asDiagonal() * kernel; }

/// The mean over queries of the divergence of the estimate's weights from softmax's.
inline double divergence(const Points& exact, const Points& estimate) {
    const Points p = shares(exact), q = shares(estimate);
    double sum = 0;
    for (Index i = 0; i < p.rows(); ++i)
        for (Index j = 0; j <= i; ++j) sum += p(i, j) * std::log(p(i, j) / q(i, j));
    return sum / static_cast<double>(p.rows());
}

inline double kernel_loss(const Points& exact, const Points& estimate) {
    return (estimate - exact).squaredNorm() / exact.squaredNorm();
}

inline Projections normal(Index d, Index count, const char* sampling, const Stream& stream) {
    return features::draw(*features::fit(features::find("positive"), {}), d, count, sampling::find(sampling), stream)
        .omega;
}

inline Stream own_stream(const char* study, std::uint64_t layer, std::uint64_t head) {
    return Stream(1).child(study).child("features").child(layer).child(head);
}

inline training::PointTraining small_training(dof::Loss loss) {
    training::PointTraining settings;
    settings.loss = loss;
    settings.steps = 20;
    settings.batch = 2;
    settings.rate = 0.05;
    return settings;
}

}  // namespace rfbench::written_out
