#include "rfbench/attention/masked_fft.hpp"

#include "rfbench/attention/mask_correlation.hpp"
#include "rfbench/attention/mask_sums.hpp"

namespace rfbench::attention {

template <class Scalar>
Counts backward_fft(const features::FeatureMap& map, const ToeplitzMask& mask, const Inputs<Scalar>& in,
                    const RowsView<Scalar>& output_gradient, MaskedGradients<Scalar>& out) {
    using features::Side;
    const Index length = mask.length(), e = in.values.cols();
    features::FeatureBlock<Scalar> queries, keys;
    KeyWeights<Scalar> key_weights;
    map.evaluate(Side::query, in.queries, queries);
    map.evaluate(Side::key, in.keys, keys);
    key_weights.assign(keys, in, 0);
    const Column<Scalar> weights = key_weights.over(key_weights.highest(), length), ones = Column<Scalar>::Ones(length);

    // The forward pass again: numerators and denominators are the columns of one sum over values and ones.
    const MaskProduct<Scalar> product(mask);
    const TokenLines<Scalar> query_lines(mask, product, queries.values), key_lines(mask, product, keys.values);
    Rows<Scalar> values(length, e + 1), sums;
    values << in.values, ones;
    mask_sums(mask, product, query_lines, key_lines, weights, values, sums);
    QuotientGradients<Scalar> quotient;
    const Counts counts = quotient.assign(sums.leftCols(e), sums.col(e), output_gradient);
    Rows<Scalar> slopes(length, e + 1);
    slopes << quotient.numerators, quotient.denominators;

    // By features of queries: the roles of features and columns change. By keys and values: the transposed mask.
    const TokenLines<Scalar> slope_lines(mask, product, slopes), value_lines(mask, product, values);
    mask_sums(mask, product, slope_lines, value_lines, weights, keys.values, sums);
    map.differentiable()->pullback(Side::query, in.queries, queries, sums, out.queries);
    const ToeplitzMask turned = transposed_mask(mask);
    const MaskProduct<Scalar> turned_product(turned);
    mask_sums(turned, turned_product, value_lines, slope_lines, ones, queries.values, sums);
    sums.array().colwise() *= weights.array();
    map.differentiable()->pullback(Side::key, in.keys, keys, sums, out.keys);
    mask_sums(turned, turned_product, key_lines, query_lines, ones, quotient.numerators, out.values);
    out.values.array().colwise() *= weights.array();

    keys.values.array().colwise() *= weights.array();
    mask_correlation(mask, queries.values, keys.values, slopes, values, out.numbers);
    return counts;
}

template Counts backward_fft(const features::FeatureMap&, const ToeplitzMask&, const Inputs<float>&,
                             const RowsView<float>&, MaskedGradients<float>&);
template Counts backward_fft(const features::FeatureMap&, const ToeplitzMask&, const Inputs<double>&,
                             const RowsView<double>&, MaskedGradients<double>&);

}  // namespace rfbench::attention
