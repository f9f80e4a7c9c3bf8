#include "rfbench/dof/losses.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace rfbench::dof {
namespace {

/// Features of one side, each row relative to exp(shift) of its own.
struct SideFeatures {
    Points values;  // n x M
    Vector shifts;  // n

    /// With one shift for all rows, or one a row. Half of log(alpha / M) is in them.
    SideFeatures(const PointsView& rows, const WeightedFeatures& features, bool common) {
        values = log_features(rows, features.points);
        values.rowwise() +=
            0.5 *
            (features.log_weights.array() - std::log(static_cast<double>(features.points.cols()))).matrix().transpose();
        shifts = values.rowwise().maxCoeff();
        if (common) shifts.setConstant(shifts.maxCoeff());
        values = (values.colwise() - shifts).array().exp();
    }

    /// Signed ones too.
    SideFeatures(const features::FeatureMap& map, features::Side side, const Points& rows, bool common) {
        features::FeatureBlock<double> block;
        map.evaluate(side, rows, block);
        shifts = block.log_scale;
        if (common) shifts.setConstant(shifts.maxCoeff());
        values = (block.log_scale - shifts).array().exp().matrix().asDiagonal() * block.values;
    }
};

/// log exp(q.k / sqrt d), minus infinity where the query does not see the key.
Points exact_logs(const Sequence& sequence, attention::Visible visible) {
    Points logs =
        sequence.queries * sequence.keys.transpose() / std::sqrt(static_cast<double>(sequence.queries.cols()));
    if (visible == attention::Visible::causal)
        for (Index i = 0; i < logs.rows(); ++i)
            logs.row(i).tail(logs.cols() - i - 1).setConstant(-std::numeric_limits<double>::infinity());
    return logs;
}

/// The loss and d loss / d K^ (entries relative to both sides' shifts), L x L'.
struct Slopes {
    double loss = 0;
    Index lost = 0;
    Points slopes;
};

Slopes squared_slopes(const Points& logs, const Points& estimates, const SideFeatures& queries,
                      const SideFeatures& keys) {
    const double highest = logs.maxCoeff();
    const Points exact = (logs.array() - highest).exp();
    const double size = exact.squaredNorm();
    // Keys have one shift for all, queries one a row: by these factors estimates are in units of exp(highest), as
    // `exact` is.
    const Vector row_factors = (queries.shifts.array() + keys.shifts[0] - highest).exp();
    Slopes out;
    out.slopes = Points::Zero(logs.rows(), logs.cols());
    for (Index i = 0; i < logs.rows(); ++i)
        for (Index j = 0; j < logs.cols(); ++j) {
            // Pairs that do not see each other do not count.
            if (std::isinf(logs(i, j))) continue;
            const double error = row_factors[i] * estimates(i, j) - exact(i, j);
            out.loss += error * error / size;
            out.slopes(i, j) = 2 * error * row_factors[i] / size;
        }
    return out;
}

Slopes softmax_slopes(const Points& logs, const Points& estimates) {
    const double rows = static_cast<double>(logs.rows());
    Slopes out;
    out.slopes = Points::Zero(logs.rows(), logs.cols());
    for (Index i = 0; i < logs.rows(); ++i) {
        // Shifts of a row and of all keys cancel in K^ / sum K^: estimates are taken as they are.
        Eigen::ArrayXd log_weights = logs.row(i).transpose().array();
        const double highest = log_weights.maxCoeff();
        log_weights -= highest + std::log((log_weights - highest).exp().sum());
        double sum = 0;
        for (Index j = 0; j < logs.cols(); ++j)
            if (!std::isinf(logs(i, j))) sum += estimates(i, j);
        for (Index j = 0; j < logs.cols(); ++j) {
            if (std::isinf(logs(i, j))) continue;
            const double weight = std::exp(log_weights[j]);
            if (estimates(i, j) > 0) {
                // By K^_j: d sum_l w_l log(sum K^ / K^_l) = 1 / sum K^ - w_j / K^_j, since the weights w add up to one.
                out.loss += weight * (log_weights[j] - std::log(estimates(i, j) / sum)) / rows;
                out.slopes(i, j) = (1 / sum - weight / estimates(i, j)) / rows;
            } else if (weight > 0) {
                ++out.lost;
            }
        }
    }
    if (out.lost > 0) out.loss = std::numeric_limits<double>::infinity();
    return out;
}

Slopes slopes_of(Loss loss, attention::Visible visible, const Sequence& sequence, const SideFeatures& queries,
                 const SideFeatures& keys) {
    const Points estimates = queries.values * keys.values.transpose();
    const Points logs = exact_logs(sequence, visible);
    return loss == Loss::squared ? squared_slopes(logs, estimates, queries, keys) : softmax_slopes(logs, estimates);
}

void add(Loss loss, attention::Visible visible, const WeightedFeatures& features, const Sequence& sequence,
         LossAndGradient& total) {
    check(sequence, visible);
    check_points(features.points, sequence);
    const SideFeatures queries(sequence.queries, features, false), keys(sequence.keys, features, true);
    const Slopes of = slopes_of(loss, visible, sequence, queries, keys);

    // K^_ij = sum_m P_im Q_jm with d log P_im / d z_m = q_i / d^(1/4) and d log P_im / d log alpha_m = 1/2.
    const Points from_queries = queries.values.cwiseProduct(of.slopes * keys.values);
    const Points from_keys = keys.values.cwiseProduct(of.slopes.transpose() * queries.values);
    const double scale = std::pow(static_cast<double>(features.points.rows()), -0.25);
    total.points += scale * (sequence.queries.transpose() * from_queries + sequence.keys.transpose() * from_keys);
    total.log_weights += from_queries.colwise().sum().transpose();
    total.loss += of.loss;
    total.lost += of.lost;
}

}  // namespace

void check(const Sequence& sequence, attention::Visible visible) {
    attention::check<double>({sequence.queries, sequence.keys, sequence.keys}, visible);
    if (sequence.queries.rows() == 0 || sequence.keys.rows() == 0)
        throw std::invalid_argument("learned features: a sequence has " + std::to_string(sequence.queries.rows()) +
                                    " queries and " + std::to_string(sequence.keys.rows()) +
                                    " keys; there must be one or more of both");
}

void check_points(const Projections& points, const Sequence& sequence) {
    if (points.rows() != sequence.queries.cols())
        throw std::invalid_argument("learned features: points have " + std::to_string(points.rows()) +
                                    " coordinates and queries " + std::to_string(sequence.queries.cols()) +
                                    "; both need as many");
}

LossAndGradient evaluate(Loss loss, attention::Visible visible, const WeightedFeatures& features,
                         const std::vector<const Sequence*>& sequences) {
    if (sequences.empty()) throw std::invalid_argument("learned features: there are no sequences to learn from");
    LossAndGradient total{0, Projections::Zero(features.points.rows(), features.points.cols()),
                          Vector::Zero(features.log_weights.size())};
    for (const Sequence* sequence : sequences) add(loss, visible, features, *sequence, total);
    const double count = static_cast<double>(sequences.size());
    total.loss /= count;
    total.points /= count;
    total.log_weights /= count;
    return total;
}

double log_squared_loss(attention::Visible visible, const features::FeatureMap& map, const Sequence& sequence) {
    check(sequence, visible);
    features::FeatureBlock<double> queries, keys;
    map.evaluate(features::Side::query, sequence.queries, queries);
    map.evaluate(features::Side::key, sequence.keys, keys);
    const features::LogMatrix estimates = features::estimate(queries, keys);
    const Points logs = exact_logs(sequence, visible);
    // Both kernels relative to their common largest entry; pairs that do not see each other have the logarithm -inf.
    const auto seen = logs.array() > -std::numeric_limits<double>::infinity();
    const double highest = logs.maxCoeff();
    const double top = std::max(highest, seen.select(estimates.log_abs, highest).maxCoeff());
    const auto errors = estimates.sign.array() * (estimates.log_abs.array() - top).exp() - (logs.array() - top).exp();
    return 2 * (top - highest) + std::log(seen.select(errors, 0).square().sum()) -
           std::log((logs.array() - highest).exp().square().sum());
}

double loss(Loss loss, attention::Visible visible, const features::FeatureMap& map, const Sequence& sequence) {
    if (loss == Loss::squared) return std::exp(log_squared_loss(visible, map, sequence));
    check(sequence, visible);
    const SideFeatures queries(map, features::Side::query, sequence.queries, false);
    const SideFeatures keys(map, features::Side::key, sequence.keys, true);
    return slopes_of(loss, visible, sequence, queries, keys).loss;
}

}  // namespace rfbench::dof
