#include "rfbench/attention/masked.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "rfbench/attention/feature_sums.hpp"
#include "rfbench/attention/mask_sums.hpp"
#include "rfbench/attention/parts.hpp"
#include "rfbench/parallel/loop.hpp"

namespace rfbench::attention {
namespace {

using features::FeatureBlock;
using features::FeatureMap;
using features::Side;
using parallel::Loop;
using parallel::Share;
using products::Panels;
using products::strided;

constexpr Index query_tile = 96, key_tile = 384;

/// Keys' features times the mantissas of their weights, and the weights' powers of two.
template <class Scalar>
struct ScaledKeys {
    std::vector<Panels<Scalar>> features, values;  // R x n and n x e, by tiles of keys
    Eigen::VectorXi exponents;

    ScaledKeys(const FeatureMap& map, const Inputs<Scalar>& in) {
        const Index length = in.keys.rows(), tiles = (length + key_tile - 1) / key_tile;
        exponents.resize(length);
        features.resize(static_cast<std::size_t>(tiles));
        values.resize(static_cast<std::size_t>(tiles));
        Loop(tiles, Share::evenly).run([&](Index tile) {
            const Index first = tile * key_tile, n = std::min(key_tile, length - first);
            FeatureBlock<Scalar> block;
            KeyWeights<Scalar> weights;
            map.evaluate(Side::key, in.keys.middleRows(first, n), block);
            weights.assign(block, in, first);
            exponents.segment(first, n) = weights.exponents;
            block.values.array().colwise() *= weights.mantissas.array();
            features[static_cast<std::size_t>(tile)].pack(strided(block.values).transposed());
            values[static_cast<std::size_t>(tile)].pack(strided(in.values.middleRows(first, n)));
        });
    }

    /// The first `seen` keys' powers of two over the largest of them; 0 of all others.
    void powers(Index seen, Column<Scalar>& out) const {
        const int high = exponents.head(seen).maxCoeff();
        out.setZero(exponents.size());
        for (Index j = 0; j < seen; ++j) out[j] = power_of_two<Scalar>(exponents[j], high);
    }
};

template <class Scalar>
Outcome attend_dense(const FeatureMap& map, const ToeplitzMask& mask, const Inputs<Scalar>& in, Rows<Scalar>& out) {
    const ScaledKeys<Scalar> keys(map, in);
    const Index length = mask.length(), tiles = (length + query_tile - 1) / query_tile;
    struct Own {
        FeatureBlock<Scalar> queries;
        Rows<Scalar> estimates, weights;
        Column<Scalar> powers, denominators;
    };
    const auto attend = [&](Own& own, Index turn) {
        // The last queries see most keys in causal attention: they begin first.
        const Index first = (tiles - 1 - turn) * query_tile, n = std::min(query_tile, length - first);
        const Index seen = mask.causal() ? first + n : length;
        map.evaluate(Side::query, in.queries.middleRows(first, n), own.queries);
        // Relative to the heaviest key that the tile's queries see: keys that come later leave no trace.
        keys.powers(seen, own.powers);
        own.denominators.setZero(n);
        Scalar* const rows = out.data() + first * out.cols();
        std::fill_n(rows, n * out.cols(), Scalar(0));
        for (Index from = 0; from < seen; from += key_tile) {
            const auto tile = static_cast<std::size_t>(from / key_tile);
            // A tile of estimates times its tile of the mask and the keys' powers of two; rows sum to denominators,
            // and the product with the values is added to the output.
            const Index width = keys.features[tile].columns();
            own.estimates.resize(n, width);
            keys.features[tile].multiply(strided(own.queries.values), own.estimates.data(), width);
            mask.tile(first, n, from, width, own.weights);
            const auto scales = own.powers.segment(from, width).transpose().array();
            for (Index i = 0; i < n; ++i) {
                own.estimates.row(i).array() *= own.weights.row(i).array() * scales;
                own.denominators[i] += own.estimates.row(i).sum();
            }
            keys.values[tile].multiply(strided(own.estimates), rows, out.cols(), rows, out.cols());
        }
        return divide(own.denominators, out, first).nonpositive;
    };
    return {Loop(tiles, Share::in_order).run([] { return Own(); }, attend)};
}

template <class Scalar>
Outcome attend_fft(const FeatureMap& map, const ToeplitzMask& mask, const Inputs<Scalar>& in, Rows<Scalar>& out) {
    const MaskProduct<Scalar> product(mask);
    // Features are made once, for all columns of the values.
    TokenLines<Scalar> queries(mask, product, map.columns()), keys(mask, product, map.columns());
    const Index length = mask.length(), tiles = (length + query_tile - 1) / query_tile;
    KeyWeights<Scalar> weights{Column<Scalar>(length), Eigen::VectorXi(length)};
    Loop(tiles, Share::evenly).run([&](Index tile) {
        const Index first = tile * query_tile, n = std::min(query_tile, length - first);
        FeatureBlock<Scalar> block;
        KeyWeights<Scalar> own;
        map.evaluate(Side::query, in.queries.middleRows(first, n), block);
        queries.set(first, block.values);
        map.evaluate(Side::key, in.keys.middleRows(first, n), block);
        keys.set(first, block.values);
        own.assign(block, in, first);
        weights.mantissas.segment(first, n) = own.mantissas;
        weights.exponents.segment(first, n) = own.exponents;
    });
    // Values, and ones for the denominators.
    Rows<Scalar> columns(length, in.values.cols() + 1), sums;
    columns << in.values, Column<Scalar>::Ones(length);
    mask_sums(mask, product, queries, keys, weights.over(weights.highest(), length), columns, sums);
    out = sums.leftCols(in.values.cols());
    return divide<Scalar>(sums.col(in.values.cols()), out, 0);
}

}  // namespace

template <class Scalar>
MaskPath cheaper_path(const ToeplitzMask& mask, Index columns, Index value_columns) {
    constexpr Index lanes = transforms::lanes<Scalar>;
    const double length = static_cast<double>(mask.length());
    const double features = static_cast<double>(columns), values = static_cast<double>(value_columns);
    const Index padded = (columns + lanes - 1) / lanes * lanes;
    // Columns of values, and one of ones, go through transforms in pairs, for each column of features. Dense, each pair
    // of tokens takes R + e products and sums; causal attention has half of the pairs.
    const double fft = static_cast<double>(padded) * (values + 2) / 2 * mask_blocks(mask).operations();
    const double dense = (mask.causal() ? 1 : 2) * length * length * (features + values);
    return fft < dense ? MaskPath::fft : MaskPath::dense;
}

template <class Scalar>
void check_mask(const ToeplitzMask& mask, const Inputs<Scalar>& in) {
    if (mask.length() != in.queries.rows())
        throw std::invalid_argument("attention: the mask is for " + std::to_string(mask.length()) + " tokens, given " +
                                    std::to_string(in.queries.rows()));
}

template <class Scalar>
MaskedOutcome masked(const FeatureMap& map, const ToeplitzMask& mask, const Inputs<Scalar>& in, Rows<Scalar>& out,
                     MaskPath path) {
    // A mask relates each token with each: as many queries as keys, which is what causal attention asks for too.
    check(in, Visible::causal, out);
    check_mask(mask, in);
    check_map(map, in);
    if (path == MaskPath::automatic) path = cheaper_path<Scalar>(mask, map.columns(), in.values.cols());
    out.resize(in.queries.rows(), in.values.cols());
    if (mask.length() == 0) return {{}, path};
    return {path == MaskPath::fft ? attend_fft(map, mask, in, out) : attend_dense(map, mask, in, out), path};
}

template MaskPath cheaper_path<float>(const ToeplitzMask&, Index, Index);
template MaskPath cheaper_path<double>(const ToeplitzMask&, Index, Index);
template void check_mask(const ToeplitzMask&, const Inputs<float>&);
template void check_mask(const ToeplitzMask&, const Inputs<double>&);
template MaskedOutcome masked(const FeatureMap&, const ToeplitzMask&, const Inputs<float>&, Rows<float>&, MaskPath);
template MaskedOutcome masked(const FeatureMap&, const ToeplitzMask&, const Inputs<double>&, Rows<double>&, MaskPath);

}  // namespace rfbench::attention
