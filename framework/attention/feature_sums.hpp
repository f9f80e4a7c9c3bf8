#pragma once
// Sums of outer products with features: what is left of all keys and values, whatever their number.
#include <cmath>
#include <limits>

#include "rfbench/attention/inputs.hpp"
#include "rfbench/features/feature_map.hpp"
#include "rfbench/products/factor.hpp"

namespace rfbench::attention {

/// Weights exp(log_scale_j) of keys as mantissa_j 2^exponent_j. Powers of two may be taken out and put back without a
/// rounding: what a query sees does not depend, not by a bit, on the scale of keys it does not see. Weights above
/// 2^max_exponent or below 2^-max_exponent count as about that much.
template <class Scalar>
struct KeyWeights {
    static constexpr int none = std::numeric_limits<int>::min() / 4;  ///< exponent of nothing
    static constexpr int max_exponent = -none - 1;                    ///< maximum absolute value of an exponent

    /// The weights of keys first .. first + n - 1 of `in`, whose features are `keys`; 0 for padding.
    void assign(const features::FeatureBlock<Scalar>& keys, const Inputs<Scalar>& in, Index first);
    /// The largest exponent, of the heaviest key; `none` without keys.
    int highest() const { return exponents.size() == 0 ? none : exponents.maxCoeff(); }
    /// The first `count` weights over 2^exponent.
    Eigen::Matrix<Scalar, Eigen::Dynamic, 1> over(int exponent, Index count) const;

    Eigen::Matrix<Scalar, Eigen::Dynamic, 1> mantissas;  ///< in [1, 2), or 0
    Eigen::VectorXi exponents;                           ///< of 2, or `none` for padding
};

/// Takes the mean from a row, an array; returns the largest absolute entry then, 0 where that is what rounding leaves
/// of equal entries, or where there are none.
template <class Row>
typename Row::Scalar centre(Row& row) {
    using Scalar = typename Row::Scalar;
    if (row.size() == 0) return 0;
    const Scalar rounding =
        static_cast<Scalar>(row.size()) * std::numeric_limits<Scalar>::epsilon() * row.abs().maxCoeff();
    row -= row.mean();
    const Scalar high = row.abs().maxCoeff();
    return high > rounding ? high : Scalar(0);
}

/// 2^(from - to), and 0 where there is nothing.
template <class Scalar>
Scalar power_of_two(int from, int to) {
    return from == KeyWeights<Scalar>::none ? Scalar(0) : std::ldexp(Scalar(1), from - to);
}

/// The exponent of 1 / 2^exponent; nothing stays nothing.
template <class Scalar>
int opposite(int exponent) {
    return exponent == KeyWeights<Scalar>::none ? exponent : -exponent;
}

template <class Scalar>
Eigen::Matrix<Scalar, Eigen::Dynamic, 1> KeyWeights<Scalar>::over(int exponent, Index count) const {
    Eigen::Matrix<Scalar, Eigen::Dynamic, 1> all = mantissas.head(count);
    for (Index j = 0; j < count; ++j) all[j] *= power_of_two<Scalar>(exponents[j], exponent);
    return all;
}

/// 2^(-exponent) sum_j 2^(x_j) phi_j [n_j, d_j] over features phi_j: R x e numerators and R denominators. The exponent
/// is the largest x_j so far, so that nothing overflows. Of keys, whose n_j = mantissa_j v_j, d_j = mantissa_j, it is
/// all that attention remembers; the exponent cancels in the output.
template <class Scalar>
class FeatureSums {
public:
    /// R numbers, one a feature.
    using Column = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

    /// No keys so far: zeros, of R features and e columns of values. Products of what is added are formed by this
    /// arithmetic.
    FeatureSums(Index features, Index value_columns, const products::Arithmetic& = {});
    /// Restores sums from their numerators(), denominators() and exponent(). Later operations give the same bits if
    /// products are formed by vector registers. Throws std::invalid_argument if no sums can have these values, naming
    /// the shapes, the first entry that is not finite, or the exponent.
    FeatureSums(const Rows<Scalar>& numerators, const Column& denominators, int exponent);
    /// The same sums in another precision. Throws as above when they leave its range.
    template <class Other>
    explicit FeatureSums(const FeatureSums<Other>& other)
        : FeatureSums(other.numerators().template cast<Scalar>(), other.denominators().template cast<Scalar>(),
                      other.exponent()) {}

    /// Adds terms j: features is n x R, its rows phi_j; exponents x_j, n; numerators n_j, n x e; denominators d_j, n.
    void add(const Rows<Scalar>& features, const Eigen::VectorXi& exponents, const Rows<Scalar>& numerators,
             const Column& denominators);
    /// These alone.
    void assign(const Rows<Scalar>& features, const Eigen::VectorXi& exponents, const Rows<Scalar>& numerators,
                const Column& denominators);
    /// Adds keys first .. first + n - 1 of `in`, whose features are `keys` and weights `weights`.
    void add_keys(const features::FeatureBlock<Scalar>& keys, const KeyWeights<Scalar>& weights,
                  const Inputs<Scalar>& in, Index first);
    /// Sums of these keys alone, as add_keys() takes them.
    void assign_keys(const features::FeatureBlock<Scalar>& keys, const KeyWeights<Scalar>& weights,
                     const Inputs<Scalar>& in, Index first);
    /// Adds the sums of other keys; shapes must agree.
    void add(const FeatureSums& other) { add(other, 1); }
    /// Takes back what add() added, but for rounding: exponent() stays, so that what was small beside the heaviest key
    /// so far is as inexact as it was in the sum.
    void subtract(const FeatureSums& other) { add(other, -1); }

    Index features() const { return numerators_.rows(); }           ///< R
    const Rows<Scalar>& numerators() const { return numerators_; }  ///< over 2^exponent(), R x e
    const Column& denominators() const { return denominators_; }    ///< over 2^exponent(), R
    int exponent() const { return exponent_; }                      ///< KeyWeights::none before the first

private:
    void raise(int exponent);
    void add(const FeatureSums& other, Scalar sign);

    Rows<Scalar> numerators_, scaled_;
    Column denominators_;
    products::Factor<Scalar> factor_;
    int exponent_ = KeyWeights<Scalar>::none;
};

/// Divides numerators (rows of out from `first`) by denominators, counting those that are not positive.
template <class Scalar>
Outcome divide(const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& denominators, Rows<Scalar>& out, Index first);

/// Outputs from sums n_i of weighted values. quotient: n_i over the sum of the weights. group: (n_i - mean) /
/// deviation, both over the e columns of the row, which need no sum of weights and no scale (Sun et al. 2023, RetNet:
/// group normalization of each head, here without the constant that is added to the variance).
enum class Norm { quotient, group };

/// divide(), or group normalization of rows from `first`: a row without any deviation becomes zero, and counts as not
/// positive.
template <class Scalar>
Outcome normalise(Norm norm, const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& denominators, Rows<Scalar>& out,
                  Index first);

}  // namespace rfbench::attention
