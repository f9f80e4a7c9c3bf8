#include "rfbench/attention/feature_sums.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace rfbench::attention {

template <class Scalar>
void KeyWeights<Scalar>::assign(const features::FeatureBlock<Scalar>& keys, const Inputs<Scalar>& in, Index first) {
    const Index n = keys.log_scale.size();
    mantissas.resize(n);
    exponents.resize(n);
    for (Index j = 0; j < n; ++j) {
        // exp(log_scale) = mantissa 2^exponent, exponent = floor(log2). Scales are cut off where exponents or their
        // differences would leave the range of int.
        const bool kept = in.keeps(first + j);
        constexpr double highest = (max_exponent - 1) * M_LN2;
        const double log_scale = std::fmin(std::fmax(keys.log_scale[j], -highest), highest);
        const double power = std::floor(log_scale * M_LOG2E);
        exponents[j] = kept ? static_cast<int>(power) : none;
        mantissas[j] = kept ? static_cast<Scalar>(std::exp(log_scale - power * M_LN2)) : Scalar(0);
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
Outcome normalise(Norm norm, const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& denominators, Rows<Scalar>& out,
                  Index first) {
    if (norm == Norm::quotient) return divide(denominators, out, first);
    Outcome outcome;
    for (Index i = 0; i < denominators.size(); ++i) {
        auto row = out.row(first + i);
        auto entries = row.array();
        const Scalar high = centre(entries);
        outcome.nonpositive += high > 0 ? 0 : 1;
        if (!(high > 0)) {
            row.setZero();
            continue;
        }
        // Over the largest entry first, so that no square overflows or vanishes.
        row /= high;
        row /= std::sqrt(row.squaredNorm() / static_cast<Scalar>(row.size()));
    }
    return outcome;
}

template <class Scalar>
FeatureSums<Scalar>::FeatureSums(Index features, Index value_columns, const products::Arithmetic& arithmetic)
    : numerators_(Rows<Scalar>::Zero(features, value_columns)),
      denominators_(Column::Zero(features)),
      factor_(arithmetic) {}

template <class Scalar>
FeatureSums<Scalar>::FeatureSums(const Rows<Scalar>& numerators, const Column& denominators, int exponent)
    : numerators_(numerators), denominators_(denominators), exponent_(exponent) {
    if (numerators.rows() != denominators.size())
        throw std::invalid_argument("attention: the state has numerators of " + std::to_string(numerators.rows()) +
                                    " features and denominators of " + std::to_string(denominators.size()) +
                                    "; both must be as many");
    check_finite<Scalar>("attention: the state's numerators have", numerators);
    check_finite<Scalar>("attention: the state's denominators have", Rows<Scalar>(denominators));
    using Weights = KeyWeights<Scalar>;
    // Without a key, or with padding alone, there is no exponent and all sums are zero.
    const bool nothing = exponent == Weights::none && numerators.isZero(0) && denominators.isZero(0);
    if (!nothing && std::abs(static_cast<double>(exponent)) > Weights::max_exponent)
        throw std::invalid_argument("attention: the state's exponent is " + std::to_string(exponent) +
                                    "; it must be between " + std::to_string(-Weights::max_exponent) + " and " +
                                    std::to_string(Weights::max_exponent) + ", or " + std::to_string(Weights::none) +
                                    " where no key was seen and all sums are zero");
}

template <class Scalar>
void FeatureSums<Scalar>::raise(int exponent) {
    // A heavier key came: all sums shrink to its power of two, which is exact. They never grow, so nothing overflows.
    // Before the first key there may be old numerators (assign()), which add() will write over.
    if (exponent <= exponent_) return;
    const Scalar shrink = power_of_two<Scalar>(exponent_, exponent);
    if (exponent_ != KeyWeights<Scalar>::none) numerators_ *= shrink;
    denominators_ *= shrink;
    exponent_ = exponent;
}

template <class Scalar>
void FeatureSums<Scalar>::add(const Rows<Scalar>& features, const Eigen::VectorXi& exponents,
                              const Rows<Scalar>& numerators, const Column& denominators) {
    if (exponents.size() == 0) return;
    const bool nothing = exponent_ == KeyWeights<Scalar>::none;
    raise(exponents.maxCoeff());
    // Weights over the common power of two go into the numerators; then all outer products are one matrix product,
    // features' times numerators, which starts from the sums themselves.
    Column powers(exponents.size());
    for (Index j = 0; j < powers.size(); ++j) powers[j] = power_of_two<Scalar>(exponents[j], exponent_);
    scaled_ = powers.asDiagonal() * numerators;
    factor_.pack(products::strided(scaled_));
    Scalar* const sums = numerators_.data();
    const Index columns = numerators_.cols();
    if (nothing)
        factor_.multiply(products::strided(features).transposed(), sums, columns);
    else
        factor_.multiply(products::strided(features).transposed(), sums, columns, sums, columns);
    denominators_.noalias() += features.transpose() * powers.cwiseProduct(denominators);
}

template <class Scalar>
void FeatureSums<Scalar>::assign(const Rows<Scalar>& features, const Eigen::VectorXi& exponents,
                                 const Rows<Scalar>& numerators, const Column& denominators) {
    // Numerators need no zeros first: without an exponent add() writes over them.
    exponent_ = KeyWeights<Scalar>::none;
    denominators_.setZero();
    if (exponents.size() == 0) numerators_.setZero();
    add(features, exponents, numerators, denominators);
}

template <class Scalar>
void FeatureSums<Scalar>::add_keys(const features::FeatureBlock<Scalar>& keys, const KeyWeights<Scalar>& weights,
                                   const Inputs<Scalar>& in, Index first) {
    add(keys.values, weights.exponents,
        weights.mantissas.asDiagonal() * in.values.middleRows(first, weights.mantissas.size()), weights.mantissas);
}

template <class Scalar>
void FeatureSums<Scalar>::assign_keys(const features::FeatureBlock<Scalar>& keys, const KeyWeights<Scalar>& weights,
                                      const Inputs<Scalar>& in, Index first) {
    assign(keys.values, weights.exponents,
           weights.mantissas.asDiagonal() * in.values.middleRows(first, weights.mantissas.size()), weights.mantissas);
}

template <class Scalar>
void FeatureSums<Scalar>::add(const FeatureSums& other, Scalar sign) {
    // To the larger exponent of both.
    raise(other.exponent_);
    const Scalar part = sign * power_of_two<Scalar>(other.exponent_, exponent_);
    numerators_ += part * other.numerators_;
    denominators_ += part * other.denominators_;
}

template struct KeyWeights<float>;
template struct KeyWeights<double>;
template class FeatureSums<float>;
template class FeatureSums<double>;
template Outcome divide(const Eigen::Matrix<float, Eigen::Dynamic, 1>&, Rows<float>&, Index);
template Outcome divide(const Eigen::Matrix<double, Eigen::Dynamic, 1>&, Rows<double>&, Index);
template Outcome normalise(Norm, const Eigen::Matrix<float, Eigen::Dynamic, 1>&, Rows<float>&, Index);
template Outcome normalise(Norm, const Eigen::Matrix<double, Eigen::Dynamic, 1>&, Rows<double>&, Index);

}  // namespace rfbench::attention
