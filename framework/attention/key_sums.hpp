#pragma once
// The state of linear attention: what is left of all keys and values, whatever their number.
#include <cmath>
#include <limits>

#include "rfbench/attention/inputs.hpp"
#include "rfbench/features/feature_map.hpp"
#include "rfbench/products/panels.hpp"

namespace rfbench::attention {

/// Weights exp(log_scale_j) of keys as mantissa_j 2^exponent_j. Powers of two may be taken out and put back without a
/// rounding: what a query sees does not depend, not by a bit, on the scale of keys it does not see.
template <class Scalar>
struct KeyWeights {
    static constexpr int none = std::numeric_limits<int>::min() / 4;  ///< exponent of nothing

    /// Of keys first .. first + n - 1 of `in`, whose features are `keys`; nothing of padding.
    void assign(const features::FeatureBlock<Scalar>& keys, const Inputs<Scalar>& in, Index first);
    int highest() const { return exponents.size() == 0 ? none : exponents.maxCoeff(); }

    Eigen::Matrix<Scalar, Eigen::Dynamic, 1> mantissas;  ///< in [1, 2), or 0
    Eigen::VectorXi exponents;
};

/// 2^(from - to), and 0 where there is nothing.
template <class Scalar>
Scalar power_of_two(int from, int to) {
    return from == KeyWeights<Scalar>::none ? Scalar(0) : std::ldexp(Scalar(1), from - to);
}

/// 2^(-exponent) sum_j w_j phi(k_j) [v_j, 1] with the weights w_j of the keys: R x e numerators and R denominators. The
/// exponent is the largest of the keys' so far, so that nothing overflows; it cancels in the output.
template <class Scalar>
class KeySums {
public:
    KeySums(Index features, Index value_columns);

    /// Adds keys first .. first + n - 1 of `in`, whose features are `keys` and weights `weights`.
    void add(const features::FeatureBlock<Scalar>& keys, const KeyWeights<Scalar>& weights, const Inputs<Scalar>& in,
             Index first);
    /// Adds what other keys left.
    void add(const KeySums& other);
    /// this = a + b, in memory this already has.
    void assign_sum(const KeySums& a, const KeySums& b);

    Index features() const { return numerators_.rows(); }
    const Rows<Scalar>& numerators() const { return numerators_; }
    const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& denominators() const { return denominators_; }
    int exponent() const { return exponent_; }  ///< KeyWeights::none before the first key

private:
    void raise(int exponent);

    Rows<Scalar> numerators_;
    Eigen::Matrix<Scalar, Eigen::Dynamic, 1> denominators_;
    int exponent_ = KeyWeights<Scalar>::none;
};

/// Divides numerators (rows of out from `first`) by denominators, counting those that are not positive.
template <class Scalar>
Outcome divide(const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& denominators, Rows<Scalar>& out, Index first);

}  // namespace rfbench::attention
