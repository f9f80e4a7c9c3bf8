#pragma once
// The state of linear attention: what is left of all keys and values, whatever their number.
#include "rfbench/attention/inputs.hpp"
#include "rfbench/features/feature_map.hpp"
#include "rfbench/products/panels.hpp"

namespace rfbench::attention {

/// exp(-log_scale) sum_j phi(k_j) [v_j, 1]: R x e numerators and R denominators. The log scale is the largest of the keys'
/// log scales so far, so that nothing overflows; it cancels in the output.
template <class Scalar>
class KeySums {
public:
    KeySums(Index features, Index value_columns);

    /// Adds keys first .. first + n - 1 of `in`, whose features are `keys`; padding is left out.
    void add(const features::FeatureBlock<Scalar>& keys, const Inputs<Scalar>& in, Index first);
    /// Adds what other keys left.
    void add(const KeySums& other);
    /// this = a + b, in memory this already has.
    void assign_sum(const KeySums& a, const KeySums& b);

    Index features() const { return numerators_.rows(); }
    const Rows<Scalar>& numerators() const { return numerators_; }
    const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& denominators() const { return denominators_; }
    double log_scale() const { return log_scale_; }  ///< -infinity before the first key

    /// Raises the log scale to at least this much.
    void raise(double log_scale);

private:
    Rows<Scalar> numerators_;
    Eigen::Matrix<Scalar, Eigen::Dynamic, 1> denominators_;
    double log_scale_;
};

/// exp(log_scale_j - log_scale) of keys that are kept, 0 of padding; n entries into `weights`.
template <class Scalar>
void key_weights(const features::FeatureBlock<Scalar>& keys, const Inputs<Scalar>& in, Index first, double log_scale,
                 Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& weights);

/// The largest log scale of kept keys; -infinity when all are padding.
template <class Scalar>
double highest_scale(const features::FeatureBlock<Scalar>& keys, const Inputs<Scalar>& in, Index first);

/// Divides numerators (rows of out from `first`) by denominators, counting those that are not positive.
template <class Scalar>
Outcome divide(const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& denominators, Rows<Scalar>& out, Index first);

}  // namespace rfbench::attention
