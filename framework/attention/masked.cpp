#include "rfbench/attention/masked.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "rfbench/attention/feature_sums.hpp"
#include "rfbench/attention/mask_product.hpp"

namespace rfbench::attention {
namespace {

using features::FeatureBlock;
using features::FeatureMap;
using features::Side;
using products::Panels;
using products::strided;

template <class Scalar>
using Column = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

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
#pragma omp parallel for schedule(static) proc_bind(spread)
        for (Index tile = 0; tile < tiles; ++tile) {
            const Index first = tile * key_tile, n = std::min(key_tile, length - first);
            FeatureBlock<Scalar> block;
            KeyWeights<Scalar> weights;
            map.evaluate(Side::key, in.keys.middleRows(first, n), block);
            weights.assign(block, in, first);
            exponents.segment(first, n) = weights.exponents;
            block.values.array().colwise() *= weights.mantissas.array();
            features[static_cast<std::size_t>(tile)].pack(strided(block.values).transposed());
            values[static_cast<std::size_t>(tile)].pack(strided(in.values.middleRows(first, n)));
        }
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
    Index nonpositive = 0;
#pragma omp parallel reduction(+ : nonpositive) proc_bind(spread)
    {
        FeatureBlock<Scalar> queries;
        Rows<Scalar> estimates, weights;
        Column<Scalar> powers, denominators;
#pragma omp for schedule(dynamic)
        for (Index turn = 0; turn < tiles; ++turn) {
            const Index first = (tiles - 1 - turn) * query_tile, n = std::min(query_tile, length - first);
            const Index seen = mask.causal() ? first + n : length;
            map.evaluate(Side::query, in.queries.middleRows(first, n), queries);
            keys.powers(seen, powers);
            denominators.setZero(n);
            Scalar* const rows = out.data() + first * out.cols();
            std::fill_n(rows, n * out.cols(), Scalar(0));
            for (Index from = 0; from < seen; from += key_tile) {
                const auto tile = static_cast<std::size_t>(from / key_tile);
                const Index width = keys.features[tile].columns();
                estimates.resize(n, width);
                keys.features[tile].multiply(strided(queries.values), estimates.data(), width);
                mask.tile(first, n, from, width, weights);
                const auto own = powers.segment(from, width).transpose().array();
                for (Index i = 0; i < n; ++i) {
                    estimates.row(i).array() *= weights.row(i).array() * own;
                    denominators[i] += estimates.row(i).sum();
                }
                keys.values[tile].multiply(strided(estimates), rows, out.cols(), rows, out.cols());
            }
            nonpositive += divide(denominators, out, first).nonpositive;
        }
    }
    return {nonpositive};
}

template <class Scalar>
Outcome attend_fft(const FeatureMap& map, const ToeplitzMask& mask, const Inputs<Scalar>& in, Rows<Scalar>& out) {
    const Index length = mask.length(), columns = map.columns(), values = in.values.cols();
    // One line a feature, so that a product with the mask reads and writes lines.
    FeatureBlock<Scalar> block;
    map.evaluate(Side::query, in.queries, block);
    const Rows<Scalar> queries = block.values.transpose();
    map.evaluate(Side::key, in.keys, block);
    const Rows<Scalar> keys = block.values.transpose();
    KeyWeights<Scalar> parts;
    parts.assign(block, in, 0);
    Column<Scalar> weights(length);
    const int high = parts.highest();
    for (Index j = 0; j < length; ++j)
        weights[j] = parts.mantissas[j] * power_of_two<Scalar>(parts.exponents[j], high);
    const MaskProduct<Scalar> product(mask);
    Column<Scalar> denominators;
    // One value column a turn, and last the denominators; features in their order.
#pragma omp parallel proc_bind(spread)
    {
        typename MaskProduct<Scalar>::Workspace workspace(product);
        Eigen::Array<Scalar, 1, Eigen::Dynamic> own(length), line(length), sum(length);
#pragma omp for schedule(dynamic)
        for (Index c = 0; c <= values; ++c) {
            own = weights.transpose().array();
            if (c < values) own *= in.values.col(c).transpose().array();
            sum.setZero();
            for (Index m = 0; m < columns; ++m) {
                line = keys.row(m).array() * own;
                product.apply(workspace, line.data(), line.data());
                sum += queries.row(m).array() * line;
            }
            if (c < values)
                out.col(c) = sum.transpose().matrix();
            else
                denominators = sum.transpose().matrix();
        }
    }
    return divide(denominators, out, 0);
}

}  // namespace

MaskPath cheaper_path(const ToeplitzMask& mask, Index columns, Index value_columns) {
    constexpr double fft_operation = 6;
    const double size = static_cast<double>(circulant_size(mask)), length = static_cast<double>(mask.length());
    const double features = static_cast<double>(columns), values = static_cast<double>(value_columns);
    const double fft = fft_operation * 5 * features * (values + 1) * size * std::log2(std::max(2.0, size));
    const double dense = (mask.causal() ? 1 : 2) * length * length * (features + values);
    return fft < dense ? MaskPath::fft : MaskPath::dense;
}

template <class Scalar>
MaskedOutcome masked(const FeatureMap& map, const ToeplitzMask& mask, const Inputs<Scalar>& in, Rows<Scalar>& out,
                     MaskPath path) {
    // A mask relates each token with each: as many queries as keys, which is what causal attention asks for too.
    check(in, Visible::causal);
    if (mask.length() != in.queries.rows())
        throw std::invalid_argument("attention: the mask is for " + std::to_string(mask.length()) + " tokens, given " +
                                    std::to_string(in.queries.rows()));
    if (map.columns() == 0)
        throw std::invalid_argument("attention: the feature map has no columns; M must be positive");
    if (path == MaskPath::automatic) path = cheaper_path(mask, map.columns(), in.values.cols());
    out.resize(in.queries.rows(), in.values.cols());
    if (mask.length() == 0) return {{}, path};
    return {path == MaskPath::fft ? attend_fft(map, mask, in, out) : attend_dense(map, mask, in, out), path};
}

template MaskedOutcome masked(const FeatureMap&, const ToeplitzMask&, const Inputs<float>&, Rows<float>&, MaskPath);
template MaskedOutcome masked(const FeatureMap&, const ToeplitzMask&, const Inputs<double>&, Rows<double>&, MaskPath);

}  // namespace rfbench::attention
