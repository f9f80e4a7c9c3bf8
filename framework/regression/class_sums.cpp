#include "rfbench/regression/class_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace rfbench::regression {
namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

/// Columns whose sums are held in registers.
constexpr int lanes = 64;

using Exponents = Eigen::Array<float, 1, Eigen::Dynamic>;

/// sum_i sign exp(logs + offset_i - relative) over rows begin .. stop - 1 that are not `negligible`, in `n` columns
/// from `column`. `size` is n, or Eigen::Dynamic where fewer columns are left than registers hold.
template <int size>
void add_exponentials(const features::LogFeatureBlock& keys, const Eigen::ArrayXf& offsets, const Exponents& relative,
                      const Eigen::ArrayXf& highs, float negligible, Index begin, Index stop, Index column, Index n,
                      float* out) {
    using Lanes = Eigen::Array<float, 1, size, Eigen::RowMajor, 1, size == Eigen::Dynamic ? lanes : size>;
    using View = Eigen::Map<const Lanes>;
    const Lanes base = View(&relative[column], n);
    Lanes sum = Lanes::Zero(n);
    for (Index i = begin; i < stop; ++i) {
        if (highs[i] < negligible) continue;
        const Lanes terms = (View(&keys.logs(i, column), n) + (offsets[i] - base)).exp();
        if (keys.signs.size() > 0) sum += View(&keys.signs(i, column), n) * terms;
        else sum += terms;
    }
    Eigen::Map<Lanes>(out, n) = sum;
}

}  // namespace

ClassSums::ClassSums(Index columns, std::vector<int> classes)
    : classes_(std::move(classes)),
      value_(Eigen::ArrayXXd::Zero(columns, static_cast<Index>(classes_.size()))),
      exponent_(Eigen::ArrayXXd::Constant(columns, static_cast<Index>(classes_.size()), nothing)) {}

void ClassSums::add(std::size_t part, const features::FeatureBlock<double>& keys, Index first, Index n) {
    const auto values = keys.values.middleRows(first, n).array();
    const Eigen::ArrayXXd logs = values.abs().log().colwise() + keys.log_scale.segment(first, n).array();
    auto value = value_.col(static_cast<Index>(part));
    auto exponent = exponent_.col(static_cast<Index>(part));
    const Eigen::ArrayXd before = exponent;
    exponent = exponent.max(logs.colwise().maxCoeff().transpose());
    const Eigen::ArrayXd base = exponent.max(std::numeric_limits<double>::lowest());
    value *= (before - base).exp();
    value += (values.sign() * (logs.rowwise() - base.transpose()).exp()).colwise().sum().transpose();
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
      reference_(Eigen::ArrayXd::Constant(columns, nothing)),
      relative_(columns),
      sums_(columns) {}

void LogClassSums::raise(const features::LogFeatureBlock& keys, double scale) {
    Row highs = Row::Constant(keys.logs.cols(), 2 * features::LogFeatureBlock::zero);
    for (Index i = 0; i < keys.logs.rows(); ++i) highs = highs.max(keys.logs.row(i).array() + offsets_[i]);
    for (Index m = 0; m < highs.size(); ++m) {
        const double high = static_cast<double>(highs[m]) + scale;
        if (highs[m] <= features::LogFeatureBlock::zero || high <= reference_[m]) continue;
        value_.row(m) *= std::exp(reference_[m] - high);
        reference_[m] = high;
    }
}

float LogClassSums::measure(const features::LogFeatureBlock& keys, double scale) {
    // Far above the logarithm of a zero and far below all others.
    constexpr double unseen = 0.1 * static_cast<double>(features::LogFeatureBlock::zero);
    relative_ = (reference_ - scale).max(unseen).cast<float>().transpose();
    highs_.resize(keys.logs.rows());
    for (Index i = 0; i < keys.logs.rows(); ++i)
        highs_[i] = (keys.logs.row(i).array() - relative_).maxCoeff() + offsets_[i];
    return highs_.maxCoeff();
}

void LogClassSums::add(const std::vector<Index>& starts, Index first, const features::LogFeatureBlock& keys) {
    // Below this an exponential is no number of float's full precision, and adds nothing to a sum that has a one.
    constexpr float negligible = -87;
    // Sums of exponentials of so much stay far from float's largest number.
    constexpr float allowed = 20;
    const Index columns = keys.logs.cols(), end = first + keys.logs.rows();
    const double scale = keys.log_scale.maxCoeff();
    offsets_ = (keys.log_scale.array() - scale).cast<float>();
    if (measure(keys, scale) > allowed) {
        raise(keys, scale);
        measure(keys, scale);
    }
    auto part = static_cast<Index>(std::upper_bound(starts.begin(), starts.end(), first) - starts.begin()) - 1;
    for (Index begin = first; begin < end; ++part) {
        const Index stop = std::min(end, starts[static_cast<std::size_t>(part) + 1]);
        const auto sum = [&](auto size, Index column, Index n) {
            add_exponentials<decltype(size)::value>(keys, offsets_, relative_, highs_, negligible, begin - first,
                                                    stop - first, column, n, &sums_[column]);
        };
        Index column = 0;
        for (; column + lanes <= columns; column += lanes) sum(std::integral_constant<int, lanes>(), column, lanes);
        if (column < columns) sum(std::integral_constant<int, Eigen::Dynamic>(), column, columns - column);
        value_.col(part) += sums_.transpose().cast<double>();
        begin = stop;
    }
}

LogClassScores::LogClassScores(const LogClassSums& sums) : classes_(sums.classes_) {
    const Eigen::ArrayXd sizes = sums.value_.abs().rowwise().maxCoeff();
    const Eigen::ArrayXd logs = (sizes > 0).select(sizes.log() + sums.reference_, nothing);
    const double high = logs.maxCoeff();
    constexpr double no_row = 2 * static_cast<double>(features::LogFeatureBlock::zero);
    some_ = high != nothing;
    factors_ = (logs - (some_ ? high : 0)).max(no_row).cast<float>().transpose();
    weights_ = (sums.value_.colwise() / (sizes > 0).select(sizes, 1)).matrix().cast<float>();
}

void LogClassScores::predict(features::LogFeatureBlock& queries, std::vector<int>& classes) const {
    Eigen::Array<bool, Eigen::Dynamic, 1> vanished(queries.logs.rows());
    for (Index i = 0; i < queries.logs.rows(); ++i) {
        auto row = queries.logs.row(i).array();
        row += factors_;
        const float high = row.maxCoeff();
        vanished[i] = high <= features::LogFeatureBlock::zero;
        row = (row - high).exp();
        if (queries.signs.size() > 0) row *= queries.signs.row(i).array();
    }
    const Rows<float> scores = queries.logs * weights_;
    for (Index i = 0; i < scores.rows(); ++i) {
        Index best = 0;
        scores.row(i).maxCoeff(&best);
        const bool decided = some_ && !vanished[i];
        classes.push_back(decided ? classes_[static_cast<std::size_t>(best)] : Predictions::undecided);
    }
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
