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

/// sum_i sign exp(logs + offset_i - relative) over rows begin .. stop - 1 that are not `negligible`, in `n` columns
/// from `column`. `size` is n, or Eigen::Dynamic where fewer columns are left than registers hold.
template <int size, class Scalar>
void add_exponentials(const features::LogFeatureBlock<Scalar>& keys,
                      const Eigen::Array<Scalar, Eigen::Dynamic, 1>& offsets,
                      const Eigen::Array<Scalar, 1, Eigen::Dynamic>& relative,
                      const Eigen::Array<Scalar, Eigen::Dynamic, 1>& highs, Scalar negligible, Index begin, Index stop,
                      Index column, Index n, float* out) {
    using Lanes = Eigen::Array<float, 1, size, Eigen::RowMajor, 1, size == Eigen::Dynamic ? lanes : size>;
    Lanes sum = Lanes::Zero(n), terms(n);
    const Scalar* const base = &relative[column];
    for (Index i = begin; i < stop; ++i) {
        if (highs[i] < negligible) continue;
        const Scalar* const logs = &keys.logs(i, column);
        const Scalar offset = offsets[i];
        if constexpr (sizeof(Scalar) == sizeof(float)) {
            using View = Eigen::Map<const Lanes>;
            terms = (View(logs, n) + (offset - View(base, n))).exp();
        } else {
            // Eigen would narrow, and take exponentials of, one number after the other.
#pragma omp simd
            for (Index m = 0; m < n; ++m) terms[m] = static_cast<float>(logs[m] + (offset - base[m]));
            terms = terms.exp();
        }
        if (keys.signs.size() > 0) features::apply_signs(&keys.signs(i, column / 32), n, terms.data());
        sum += terms;
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
    // Each entry's exponent is the largest log so far, to which earlier sums shrink.
    const Eigen::ArrayXd before = exponent;
    exponent = exponent.max(logs.colwise().maxCoeff().transpose());
    // An entry that has seen nothing must not give infinity minus infinity.
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
    // One product for all rows; row by row only where its scores are doubtful.
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

template <class Scalar>
LogClassSums<Scalar>::LogClassSums(Index columns, std::vector<int> classes)
    : classes_(std::move(classes)),
      value_(Eigen::ArrayXXd::Zero(columns, static_cast<Index>(classes_.size()))),
      reference_(Eigen::ArrayXd::Constant(columns, nothing)),
      relative_(columns),
      sums_(columns) {}

template <class Scalar>
void LogClassSums<Scalar>::raise(const features::LogFeatureBlock<Scalar>& keys, double scale) {
    // Each feature's largest log becomes its reference where it is above it, and the sums shrink to that.
    Row highs = Row::Constant(keys.logs.cols(), 2 * features::LogFeatureBlock<Scalar>::zero);
    for (Index i = 0; i < keys.logs.rows(); ++i) highs = highs.max(keys.logs.row(i).array() + offsets_[i]);
    for (Index m = 0; m < highs.size(); ++m) {
        const double high = static_cast<double>(highs[m]) + scale;
        if (highs[m] <= features::LogFeatureBlock<Scalar>::zero || high <= reference_[m]) continue;
        value_.row(m) *= std::exp(reference_[m] - high);
        reference_[m] = high;
    }
}

template <class Scalar>
Scalar LogClassSums<Scalar>::measure(const features::LogFeatureBlock<Scalar>& keys, double scale) {
    // Far above the logarithm of a zero and far below all others.
    constexpr double unseen = 0.1 * static_cast<double>(features::LogFeatureBlock<Scalar>::zero);
    relative_ = (reference_ - scale).max(unseen).template cast<Scalar>().transpose();
    highs_.resize(keys.logs.rows());
    for (Index i = 0; i < keys.logs.rows(); ++i)
        highs_[i] = (keys.logs.row(i).array() - relative_).maxCoeff() + offsets_[i];
    return highs_.maxCoeff();
}

template <class Scalar>
void LogClassSums<Scalar>::add(const std::vector<Index>& starts, Index first,
                               const features::LogFeatureBlock<Scalar>& keys) {
    // Below this an exponential is no number of float's full precision, and adds nothing to a sum that has a one.
    constexpr Scalar negligible = -87;
    // Sums of exponentials of so much stay far from float's largest number.
    constexpr Scalar allowed = 20;
    const Index columns = keys.logs.cols(), end = first + keys.logs.rows();
    const double scale = keys.log_scale.maxCoeff();
    offsets_ = (keys.log_scale.array() - scale).template cast<Scalar>();
    // References rise only where exponentials would be too large.
    if (measure(keys, scale) > allowed) {
        raise(keys, scale);
        measure(keys, scale);
    }
    // Class by class, and as many columns at a time as registers hold: a block's sum in float joins the class's in
    // double.
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
        value_.col(part) += sums_.template cast<double>();
        begin = stop;
    }
}

template <class Scalar>
LogClassScores<Scalar>::LogClassScores(const LogClassSums<Scalar>& sums) : classes_(sums.classes_) {
    // A feature's largest sum goes to the queries, in logs; the weights are the classes' shares of it, at most one.
    const Eigen::ArrayXd sizes = sums.value_.abs().rowwise().maxCoeff();
    const Eigen::ArrayXd logs = (sizes > 0).select(sizes.log() + sums.reference_, nothing);
    const double high = logs.maxCoeff();
    constexpr double no_row = 2 * static_cast<double>(features::LogFeatureBlock<Scalar>::zero);
    some_ = high != nothing;
    factors_ = (logs - (some_ ? high : 0)).max(no_row).template cast<Scalar>().transpose();
    weights_ = (sums.value_.colwise() / (sizes > 0).select(sizes, 1)).matrix().template cast<float>();
}

template <class Scalar>
void LogClassScores<Scalar>::predict(features::LogFeatureBlock<Scalar>& queries, std::vector<int>& classes) const {
    Eigen::Array<bool, Eigen::Dynamic, 1> vanished(queries.logs.rows());
    Rows<float> terms(queries.logs.rows(), queries.logs.cols());
    for (Index i = 0; i < queries.logs.rows(); ++i) {
        auto row = queries.logs.row(i).array();
        row += factors_;
        const Scalar high = row.maxCoeff();
        vanished[i] = high <= features::LogFeatureBlock<Scalar>::zero;
        terms.row(i) = (row - high).template cast<float>();
        terms.row(i) = terms.row(i).array().exp();
        if (queries.signs.size() > 0) features::apply_signs(&queries.signs(i, 0), terms.cols(), &terms(i, 0));
    }
    const Rows<float> scores = terms * weights_;
    for (Index i = 0; i < scores.rows(); ++i) {
        Index best = 0;
        scores.row(i).maxCoeff(&best);
        const bool decided = some_ && !vanished[i];
        classes.push_back(decided ? classes_[static_cast<std::size_t>(best)] : Predictions::undecided);
    }
}

template class LogClassSums<float>;
template class LogClassSums<double>;
template class LogClassScores<float>;
template class LogClassScores<double>;

NarrowClassSums::NarrowClassSums(Index columns, std::vector<int> classes)
    : classes_(std::move(classes)),
      value_(Eigen::ArrayXXd::Zero(columns, static_cast<Index>(classes_.size()))),
      exponent_(Eigen::ArrayXd::Constant(static_cast<Index>(classes_.size()), nothing)) {}

void NarrowClassSums::add(std::size_t part, const features::FeatureBlock<float>& keys, Index first, Index n) {
    const auto scales = keys.log_scale.segment(first, n).array();
    const double high = scales.maxCoeff();
    // The block's rows over its heaviest, in float; their sum joins the class's in double, at the larger exponent of
    // both.
    Eigen::ArrayXf weights = (scales - high).cast<float>();
    weights = weights.exp();
    const Eigen::RowVectorXf sums = weights.matrix().transpose() * keys.values.middleRows(first, n);
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
