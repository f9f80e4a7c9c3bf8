#include "rfbench/attention/key_sums.hpp"

#include <cmath>
#include <limits>

namespace rfbench::attention {
namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

/// exp(from - to), and 0 for sums that are empty.
double ratio(double from, double to) { return from == nothing ? 0 : std::exp(from - to); }

}  // namespace

template <class Scalar>
double highest_scale(const features::FeatureBlock<Scalar>& keys, const Inputs<Scalar>& in, Index first) {
    if (in.kept.empty()) return keys.log_scale.size() == 0 ? nothing : keys.log_scale.maxCoeff();
    double high = nothing;
    for (Index j = 0; j < keys.log_scale.size(); ++j)
        if (in.keeps(first + j)) high = std::max(high, keys.log_scale[j]);
    return high;
}

template <class Scalar>
void key_weights(const features::FeatureBlock<Scalar>& keys, const Inputs<Scalar>& in, Index first, double log_scale,
                 Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& weights) {
    weights.resize(keys.log_scale.size());
    if (log_scale == nothing) {
        weights.setZero();
        return;
    }
    weights = (keys.log_scale.array() - log_scale).exp().template cast<Scalar>().matrix();
    if (in.kept.empty()) return;
    for (Index j = 0; j < weights.size(); ++j)
        if (!in.keeps(first + j)) weights[j] = 0;
}

template <class Scalar>
Outcome divide(const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& denominators, Rows<Scalar>& out, Index first) {
    Outcome outcome;
    for (Index i = 0; i < denominators.size(); ++i) {
        outcome.nonpositive += denominators[i] > 0 ? 0 : 1;
        if (denominators[i] == 0)
            out.row(first + i).setZero();
        else
            out.row(first + i) /= denominators[i];
    }
    return outcome;
}

template <class Scalar>
KeySums<Scalar>::KeySums(Index features, Index value_columns)
    : numerators_(Rows<Scalar>::Zero(features, value_columns)),
      denominators_(Eigen::Matrix<Scalar, Eigen::Dynamic, 1>::Zero(features)),
      log_scale_(nothing) {}

template <class Scalar>
void KeySums<Scalar>::raise(double log_scale) {
    if (log_scale <= log_scale_) return;
    const Scalar shrink = static_cast<Scalar>(ratio(log_scale_, log_scale));
    numerators_ *= shrink;
    denominators_ *= shrink;
    log_scale_ = log_scale;
}

template <class Scalar>
void KeySums<Scalar>::add(const features::FeatureBlock<Scalar>& keys, const Inputs<Scalar>& in, Index first) {
    raise(highest_scale(keys, in, first));
    Eigen::Matrix<Scalar, Eigen::Dynamic, 1> weights;
    key_weights(keys, in, first, log_scale_, weights);
    const Rows<Scalar> weighted = weights.asDiagonal() * in.values.middleRows(first, weights.size());
    products::Panels<Scalar>(products::strided(weighted))
        .multiply(products::strided(keys.values).transposed(), numerators_.data(), numerators_.cols(),
                  numerators_.data(), numerators_.cols());
    denominators_.noalias() += keys.values.transpose() * weights;
}

template <class Scalar>
void KeySums<Scalar>::add(const KeySums& other) {
    raise(other.log_scale_);
    const Scalar part = static_cast<Scalar>(ratio(other.log_scale_, log_scale_));
    numerators_ += part * other.numerators_;
    denominators_ += part * other.denominators_;
}

template <class Scalar>
void KeySums<Scalar>::assign_sum(const KeySums& a, const KeySums& b) {
    log_scale_ = std::max(a.log_scale_, b.log_scale_);
    const Scalar of_a = static_cast<Scalar>(ratio(a.log_scale_, log_scale_));
    const Scalar of_b = static_cast<Scalar>(ratio(b.log_scale_, log_scale_));
    numerators_ = of_a * a.numerators_ + of_b * b.numerators_;
    denominators_ = of_a * a.denominators_ + of_b * b.denominators_;
}

#define RFBENCH_INSTANTIATE(Scalar)                                                                                    \
    template class KeySums<Scalar>;                                                                                    \
    template void key_weights(const features::FeatureBlock<Scalar>&, const Inputs<Scalar>&, Index, double,             \
                              Eigen::Matrix<Scalar, Eigen::Dynamic, 1>&);                                              \
    template double highest_scale(const features::FeatureBlock<Scalar>&, const Inputs<Scalar>&, Index);                \
    template Outcome divide(const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>&, Rows<Scalar>&, Index);
RFBENCH_INSTANTIATE(float)
RFBENCH_INSTANTIATE(double)
#undef RFBENCH_INSTANTIATE

}  // namespace rfbench::attention
