#pragma once
// Tiles of masked attention's gradients, through features and by softmax.
#include "rfbench/attention/backward_tile.hpp"
#include "rfbench/attention/toeplitz_mask.hpp"

namespace rfbench::attention {

/// Queries of masked attention in one tile.
inline constexpr Index masked_queries = 96;

/// The values as factors of products from either side.
template <class Scalar>
struct ValueFactors {
    products::Panels<Scalar> values, transposed;  // L x e and e x L

    explicit ValueFactors(const RowsView<Scalar>& rows)
        : values(products::strided(rows)), transposed(products::strided(rows).transposed()) {}
};

/// Some queries and all keys: from weights W and their tile M of the mask, with P = M o W (entry by entry),
///
///     D = P 1,  out = P V / D;   of an output gradient g, with G = g / D and c_i = -G_i.out_i,
///     B = G V' + c 1',  dV = P' G,  dM = W o B,  dW = M o B.
template <class Scalar>
struct MaskedTile {
    Rows<Scalar> weights, mask;  ///< W and M, which backward() replaces by dW and dM
    Rows<Scalar> numerators;     ///< P V
    Column<Scalar> denominators;
    Rows<Scalar> by_values;  ///< dV

    void attend(const ValueFactors<Scalar>& values) {
        seen_ = weights.cwiseProduct(mask);
        denominators = seen_.rowwise().sum();
        numerators.resize(seen_.rows(), values.values.columns());
        values.values.multiply(products::strided(seen_), numerators.data(), numerators.cols());
    }

    /// After attend().
    Counts backward(const ValueFactors<Scalar>& values, const RowsView<Scalar>& gradient) {
        const Counts counts = quotient_.assign(numerators, denominators, gradient);
        slopes_.resize(weights.rows(), weights.cols());
        for (Index i = 0; i < slopes_.rows(); ++i) slopes_.row(i).setConstant(quotient_.denominators[i]);
        values.transposed.multiply(products::strided(quotient_.numerators), slopes_.data(), slopes_.cols(),
                                   slopes_.data(), slopes_.cols());
        packed_.pack(products::strided(quotient_.numerators));
        by_values.resize(weights.cols(), gradient.cols());
        packed_.multiply(products::strided(seen_).transposed(), by_values.data(), by_values.cols());
        weights = weights.cwiseProduct(slopes_);
        mask = mask.cwiseProduct(slopes_);
        weights.swap(mask);
        return counts;
    }

private:
    Rows<Scalar> seen_, slopes_;
    QuotientGradients<Scalar> quotient_;
    products::Panels<Scalar> packed_;
};

}  // namespace rfbench::attention
