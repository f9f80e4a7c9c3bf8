#include "rfbench/attention/causal_block.hpp"

#include <algorithm>

namespace rfbench::attention {

using features::FeatureMap;
using features::Side;
using products::strided;
using products::Triangle;

template <class Scalar>
CausalBlock<Scalar>::CausalBlock(const FeatureMap& map, const Inputs<Scalar>& in)
    : map_(map),
      in_(in),
      own_(map.columns(), in.values.cols(), map.arithmetic()),
      before_(own_),
      factor_(map.arithmetic()) {}

template <class Scalar>
void CausalBlock<Scalar>::evaluate(Index number) {
    first_ = number * length;
    size_ = std::min(length, in_.keys.rows() - first_);
    map_.evaluate(Side::query, in_.queries.middleRows(first_, size_), queries_);
    map_.evaluate(Side::key, in_.keys.middleRows(first_, size_), keys_);
    weights_.assign(keys_, in_, first_);
    // Summed here, where threads work at once, so that follow(), which they take in turn, is a copy and an addition.
    own_.assign_keys(keys_, weights_, in_, first_);
}

template <class Scalar>
void CausalBlock<Scalar>::follow(FeatureSums<Scalar>& state) {
    before_ = state;
    state.add(own_);
}

template <class Scalar>
void CausalBlock<Scalar>::attend(Scalar* out, Index out_stride) {
    weigh();
    // Keys of the block itself: K^(q_i, k_j) with the keys' weights, for j <= i. Above the diagonal weights are zero,
    // so products need not be right there.
    estimates_.setZero(size_, size_);
    factor_.pack(strided(keys_.values).transposed());
    factor_.multiply(strided(queries_.values), estimates_.data(), size_, Triangle::lower_product);
    estimates_.array() *= visible_.array();
    // Keys of earlier blocks: through their sums.
    factor_.pack(strided(before_.numerators()));
    factor_.multiply(strided(queries_.values), out, out_stride);
    denominators_.noalias() = queries_.values * before_.denominators();
    // Both relative to row i's scale.
    for (Index i = 0; i < size_; ++i) {
        Eigen::Map<Eigen::Array<Scalar, 1, Eigen::Dynamic>>(out + i * out_stride, in_.values.cols()) *= shrinks_[i];
        denominators_[i] = denominators_[i] * shrinks_[i] + estimates_.row(i).head(i + 1).sum();
    }
    // The block's own values are added to what came before.
    factor_.pack(strided(RowsView<Scalar>(in_.values.middleRows(first_, size_))));
    factor_.multiply(strided(estimates_), out, out_stride, out, out_stride, Triangle::lower_factor);
}

template <class Scalar>
void CausalBlock<Scalar>::weigh() {
    visible_.setZero(size_, size_);
    shrinks_.resize(size_);
    scales_.resize(size_);
    // Row i's scale is the largest power of two of the keys that it sees, j <= i and earlier blocks: it depends on no
    // later key. Only whole powers of two move between scale and weights, which rounds nothing.
    int scale = before_.exponent();
    for (Index i = 0; i < size_; ++i) {
        const int exponent = weights_.exponents[i];
        // Row i sees what row i - 1 saw, which shrinks where its own key is heavier, and that key.
        if (i > 0) visible_.row(i).head(i) = visible_.row(i - 1).head(i);
        if (exponent > scale) {
            visible_.row(i).head(i) *= power_of_two<Scalar>(scale, exponent);
            scale = exponent;
        }
        visible_(i, i) = weights_.mantissas[i] * power_of_two<Scalar>(exponent, scale);
        scales_[i] = scale;
        shrinks_[i] = power_of_two<Scalar>(before_.exponent(), scale);
    }
}

template class CausalBlock<float>;
template class CausalBlock<double>;

}  // namespace rfbench::attention
