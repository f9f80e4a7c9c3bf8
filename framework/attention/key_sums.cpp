#include "rfbench/attention/key_sums.hpp"

#include <algorithm>

namespace rfbench::attention {

template <class Scalar>
void KeyWeights<Scalar>::assign(const features::FeatureBlock<Scalar>& keys, const Inputs<Scalar>& in, Index first) {
    const Index n = keys.log_scale.size();
    mantissas.resize(n);
    exponents.resize(n);
    for (Index j = 0; j < n; ++j) {
        const bool kept = in.keeps(first + j);
        const double power = std::floor(keys.log_scale[j] * M_LOG2E);
        exponents[j] = kept ? static_cast<int>(power) : none;
        mantissas[j] = kept ? static_cast<Scalar>(std::exp(keys.log_scale[j] - power * M_LN2)) : Scalar(0);
    }
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
      denominators_(Eigen::Matrix<Scalar, Eigen::Dynamic, 1>::Zero(features)) {}

template <class Scalar>
void KeySums<Scalar>::raise(int exponent) {
    if (exponent <= exponent_) return;
    const Scalar shrink = power_of_two<Scalar>(exponent_, exponent);
    numerators_ *= shrink;
    denominators_ *= shrink;
    exponent_ = exponent;
}

template <class Scalar>
void KeySums<Scalar>::add(const features::FeatureBlock<Scalar>& keys, const KeyWeights<Scalar>& weights,
                          const Inputs<Scalar>& in, Index first) {
    raise(weights.highest());
    Eigen::Matrix<Scalar, Eigen::Dynamic, 1> own = weights.mantissas;
    for (Index j = 0; j < own.size(); ++j) own[j] *= power_of_two<Scalar>(weights.exponents[j], exponent_);
    const Rows<Scalar> weighted = own.asDiagonal() * in.values.middleRows(first, own.size());
    products::Panels<Scalar>(products::strided(weighted))
        .multiply(products::strided(keys.values).transposed(), numerators_.data(), numerators_.cols(),
                  numerators_.data(), numerators_.cols());
    denominators_.noalias() += keys.values.transpose() * own;
}

template <class Scalar>
void KeySums<Scalar>::add(const KeySums& other) {
    raise(other.exponent_);
    const Scalar part = power_of_two<Scalar>(other.exponent_, exponent_);
    numerators_ += part * other.numerators_;
    denominators_ += part * other.denominators_;
}

template <class Scalar>
void KeySums<Scalar>::assign_sum(const KeySums& a, const KeySums& b) {
    exponent_ = std::max(a.exponent_, b.exponent_);
    const Scalar of_a = power_of_two<Scalar>(a.exponent_, exponent_);
    const Scalar of_b = power_of_two<Scalar>(b.exponent_, exponent_);
    numerators_ = of_a * a.numerators_ + of_b * b.numerators_;
    denominators_ = of_a * a.denominators_ + of_b * b.denominators_;
}

template struct KeyWeights<float>;
template struct KeyWeights<double>;
template class KeySums<float>;
template class KeySums<double>;
template Outcome divide(const Eigen::Matrix<float, Eigen::Dynamic, 1>&, Rows<float>&, Index);
template Outcome divide(const Eigen::Matrix<double, Eigen::Dynamic, 1>&, Rows<double>&, Index);

}  // namespace rfbench::attention
