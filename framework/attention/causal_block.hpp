#pragma once
// Causal attention by blocks of running sums (Likhosherstov 2022, Appendix 5.B, with the corrected index of the block's
// own queries): within a block by the masked matrix of estimates, before it through the sums.
#include "rfbench/attention/feature_sums.hpp"

namespace rfbench::attention {

/// A block of queries and keys, and the state before it; the next block uses the same memory. Threads share the blocks
/// of a sequence: evaluate() and attend() run in parallel, follow() runs in the order of the blocks. So each feature is
/// computed once, and the bits of the sums do not depend on the threads.
template <class Scalar>
class CausalBlock {
public:
    using Column = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

    static constexpr Index length = 60;
    static Index count(const Inputs<Scalar>& in) { return (in.keys.rows() + length - 1) / length; }

    CausalBlock(const features::FeatureMap& map, const Inputs<Scalar>& in);

    /// Makes the features of block `number` and the sums of its keys.
    void evaluate(Index number);
    /// `state` holds the sums of all keys before the block; afterwards it has the block's keys as well.
    void follow(FeatureSums<Scalar>& state);
    /// Writes sum_j K^(q_i, k_j) v_j over j <= i, relative to 2^scales()_i, to rows of out; keeps sum_j K^(q_i, k_j).
    void attend(Scalar* out, Index out_stride);

    Index first() const { return first_; }
    Index size() const { return size_; }  ///< n
    const features::FeatureBlock<Scalar>& queries() const { return queries_; }
    const features::FeatureBlock<Scalar>& keys() const { return keys_; }
    const KeyWeights<Scalar>& weights() const { return weights_; }
    const FeatureSums<Scalar>& before() const { return before_; }

    const Column& denominators() const { return denominators_; }
    const Eigen::VectorXi& scales() const { return scales_; }     ///< of the largest key that a query sees
    const Column& shrinks() const { return shrinks_; }            ///< 2^(exponent before the block - scale)
    const Rows<Scalar>& visible() const { return visible_; }      ///< weights of keys over 2^scale, 0 for j > i; n x n
    const Rows<Scalar>& estimates() const { return estimates_; }  ///< K^(q_i, k_j) over 2^scale, 0 for j > i; n x n

private:
    void weigh();

    const features::FeatureMap& map_;
    const Inputs<Scalar>& in_;
    Index first_ = 0, size_ = 0;
    features::FeatureBlock<Scalar> queries_, keys_;
    KeyWeights<Scalar> weights_;
    FeatureSums<Scalar> own_, before_;
    products::Factor<Scalar> factor_;
    Rows<Scalar> visible_, estimates_;
    Column denominators_, shrinks_;
    Eigen::VectorXi scales_;
};

extern template class CausalBlock<float>;
extern template class CausalBlock<double>;

}  // namespace rfbench::attention
