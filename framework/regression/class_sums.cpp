#include "rfbench/regression/class_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rfbench::regression {
namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

/// Writes logs + offset - relative and returns the largest.
float shift(const float* logs, float offset, const float* relative, Index n, float* out) {
    float high = -std::numeric_limits<float>::infinity();
#pragma omp simd reduction(max : high)
    for (Index m = 0; m < n; ++m) {
        out[m] = logs[m] + (offset - relative[m]);
        high = out[m] > high ? out[m] : high;  // std::max would be taken one by one
    }
    return high;
}

}  // namespace

ClassSums::ClassSums(Index columns, std::vector<int> classes)
    : classes_(std::move(classes)),
      value_(Eigen::ArrayXXd::Zero(columns, static_cast<Index>(classes_.size()))),
      exponent_(Eigen::ArrayXXd::Constant(columns, static_cast<Index>(classes_.size()), nothing)) {}

void ClassSums::add(std::size_t part, const features::FeatureBlock<double>& keys, Index first, Index n) {
    const auto scales = keys.log_scale.segment(first, n).array();
    const double high = scales.maxCoeff();
    const Vector weights = (scales - high).exp();
    const Eigen::RowVectorXd sums = weights.transpose() * keys.values.middleRows(first, n);
    auto value = value_.col(static_cast<Index>(part));
    auto exponent = exponent_.col(static_cast<Index>(part));
    for (Index m = 0; m < sums.size(); ++m) {
        if (sums[m] == 0) continue;
        if (exponent[m] < high) {
            value[m] *= std::exp(exponent[m] - high);
            exponent[m] = high;
        }
        value[m] += sums[m] * std::exp(high - exponent[m]);
    }
}

Predictions ClassSums::predict(const features::FeatureBlock<double>& queries) const {
    // Below this a row's scores may have lost terms, and are added up again with the features' own exponents.
    constexpr double doubtful = 1e-200;
    // The sums of feature m are exp(largest[m]) times ratios.row(m), the largest ratio being one.
    const Eigen::ArrayXXd logs = value_.abs().log() + exponent_;
    const Eigen::ArrayXd largest = logs.rowwise().maxCoeff();
    const double high = largest.maxCoeff();
    Predictions result{std::vector<int>(static_cast<std::size_t>(queries.values.rows()), Predictions::undecided)};
    if (high == nothing) return result;
    const Eigen::ArrayXd offset = largest.max(std::numeric_limits<double>::lowest());
    const Eigen::ArrayXXd sizes = (logs.colwise() - offset).exp();
    const Eigen::MatrixXd ratios = value_.sign() * sizes;
    const Eigen::MatrixXd weights = (offset - high).exp().matrix().asDiagonal() * ratios;
    const Points scores = queries.values * weights;

    for (Index i = 0; i < scores.rows(); ++i) {
        Eigen::RowVectorXd own = scores.row(i);
        if (own.cwiseAbs().maxCoeff() < doubtful) {
            const Eigen::ArrayXd query = queries.values.row(i).transpose().array();
            Eigen::ArrayXd terms = query.abs().log() + largest;
            const double most = terms.maxCoeff();
            if (most == nothing) continue;
            terms = (terms - most).exp();
            own = (query.sign() * terms).matrix().transpose() * ratios;
        }
        Index best = 0;
        own.maxCoeff(&best);
        result.classes[static_cast<std::size_t>(i)] = classes_[static_cast<std::size_t>(best)];
    }
    return result;
}

LogClassSums::LogClassSums(Index columns, std::vector<int> classes)
    : classes_(std::move(classes)),
      value_(Eigen::ArrayXXd::Zero(columns, static_cast<Index>(classes_.size()))),
      largest_(Eigen::ArrayXd::Constant(columns, nothing)),
      relative_(columns) {}

void LogClassSums::raise(const features::LogFeatureBlock& keys, double scale) {
    highs_.setConstant(keys.logs.cols(), 2 * features::LogFeatureBlock::zero);
    for (Index i = 0; i < keys.logs.rows(); ++i) highs_ = highs_.max(keys.logs.row(i).array() + offsets_[i]);
    relative_ = (largest_ - scale).cast<float>().transpose();
    if (!(highs_ > relative_).any()) return;
    for (Index m = 0; m < highs_.size(); ++m) {
        const double high = static_cast<double>(highs_[m]) + scale;
        if (highs_[m] > features::LogFeatureBlock::zero && high > largest_[m]) {
            value_.row(m) *= std::exp(largest_[m] - high);
            largest_[m] = high;
        }
        relative_[m] = largest_[m] == nothing ? 0 : static_cast<float>(largest_[m] - scale);
    }
}

void LogClassSums::add(const std::vector<Index>& starts, Index first, const features::LogFeatureBlock& keys) {
    // Below this an exponential is no number of float's full precision, and adds nothing to a sum that has a one.
    constexpr float negligible = -87;
    const Index end = first + keys.logs.rows();
    const double scale = keys.log_scale.maxCoeff();
    offsets_ = (keys.log_scale.array() - scale).cast<float>();
    raise(keys, scale);
    row_.resize(keys.logs.cols());
    auto part = static_cast<Index>(std::upper_bound(starts.begin(), starts.end(), first) - starts.begin()) - 1;
    for (Index i = first; i < end; ++part) {
        const Index stop = std::min(end, starts[static_cast<std::size_t>(part) + 1]);
        sums_.setZero(keys.logs.cols());
        for (; i < stop; ++i) {
            const float* const logs = &keys.logs(i - first, 0);
            if (shift(logs, offsets_[i - first], relative_.data(), row_.size(), row_.data()) < negligible) continue;
            if (keys.signs.size() > 0) sums_ += keys.signs.row(i - first).array() * row_.exp();
            else sums_ += row_.exp();
        }
        value_.col(part) += sums_.transpose().cast<double>();
    }
}

Predictions LogClassSums::predict(features::LogFeatureBlock& queries) const {
    const double high = largest_.maxCoeff();
    Predictions result{std::vector<int>(static_cast<std::size_t>(queries.logs.rows()), Predictions::undecided)};
    if (high == nothing) return result;
    constexpr double no_row = 2 * features::LogFeatureBlock::zero;
    const Eigen::RowVectorXf factors = (largest_ - high).max(no_row).cast<float>().matrix().transpose();
    Eigen::Array<bool, Eigen::Dynamic, 1> vanished(queries.logs.rows());
    for (Index i = 0; i < queries.logs.rows(); ++i) {
        auto row = queries.logs.row(i).array();
        row += factors.array();
        const float most = row.maxCoeff();
        vanished[i] = most <= features::LogFeatureBlock::zero;
        row = (row - most).exp();
        if (queries.signs.size() > 0) row *= queries.signs.row(i).array();
    }
    const Rows<float> scores = queries.logs * value_.matrix().cast<float>();
    for (Index i = 0; i < scores.rows(); ++i) {
        Index best = 0;
        scores.row(i).maxCoeff(&best);
        if (!vanished[i]) result.classes[static_cast<std::size_t>(i)] = classes_[static_cast<std::size_t>(best)];
    }
    return result;
}

NarrowClassSums::NarrowClassSums(Index columns, std::vector<int> classes)
    : classes_(std::move(classes)),
      value_(Eigen::ArrayXXd::Zero(columns, static_cast<Index>(classes_.size()))),
      exponent_(Eigen::ArrayXd::Constant(static_cast<Index>(classes_.size()), nothing)) {}

void NarrowClassSums::add(std::size_t part, const features::FeatureBlock<float>& keys, Index first, Index n) {
    const auto scales = keys.log_scale.segment(first, n).array();
    const double high = scales.maxCoeff();
    const Eigen::VectorXf weights = (scales - high).cast<float>().exp();
    const Eigen::RowVectorXf sums = weights.transpose() * keys.values.middleRows(first, n);
    auto value = value_.col(static_cast<Index>(part));
    double& exponent = exponent_[static_cast<Index>(part)];
    if (exponent < high) {
        value *= std::exp(exponent - high);
        exponent = high;
    }
    value += std::exp(high - exponent) * sums.transpose().cast<double>().array();
}

std::optional<Predictions> NarrowClassSums::predict(const features::FeatureBlock<float>& queries) const {
    constexpr float doubtful = 1e-25f;
    const Eigen::ArrayXd relative = (exponent_ - exponent_.maxCoeff()).exp();
    const Eigen::MatrixXf weights = (value_.rowwise() * relative.transpose()).cast<float>();
    const Rows<float> scores = queries.values * weights;
    if (!scores.allFinite()) return {};
    Predictions result;
    for (Index i = 0; i < scores.rows(); ++i) {
        if (scores.row(i).cwiseAbs().maxCoeff() < doubtful) return {};
        Index best = 0;
        scores.row(i).maxCoeff(&best);
        result.classes.push_back(classes_[static_cast<std::size_t>(best)]);
    }
    return result;
}

}  // namespace rfbench::regression
