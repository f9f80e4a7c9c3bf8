#include "rfbench/attention/masked.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "rfbench/attention/feature_sums.hpp"
#include "rfbench/attention/mask_product.hpp"
#include "rfbench/attention/parts.hpp"

namespace rfbench::attention {
namespace {

using features::FeatureBlock;
using features::FeatureMap;
using features::Side;
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
            // The last queries see most keys in causal attention: they begin first.
            const Index first = (tiles - 1 - turn) * query_tile, n = std::min(query_tile, length - first);
            const Index seen = mask.causal() ? first + n : length;
            map.evaluate(Side::query, in.queries.middleRows(first, n), queries);
            // Relative to the heaviest key that the tile's queries see: keys that come later leave no trace.
            keys.powers(seen, powers);
            denominators.setZero(n);
            Scalar* const rows = out.data() + first * out.cols();
            std::fill_n(rows, n * out.cols(), Scalar(0));
            for (Index from = 0; from < seen; from += key_tile) {
                const auto tile = static_cast<std::size_t>(from / key_tile);
                // A tile of estimates times its tile of the mask and the keys' powers of two; rows sum to denominators,
                // and the product with the values is added to the output.
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

/// Features of all tokens as lines of a mask's products, as many beside each other as are multiplied at once, and the
/// weights of keys over the largest.
template <class Scalar>
struct FeatureLines {
    static constexpr Index lanes = transforms::lanes<Scalar>;
    using Lines = std::vector<transforms::RealLanes<Scalar>>;

    Index groups, size;         // of `lanes` features, the last filled up with zeros; entries of a line
    std::vector<Index> places;  // of tokens
    Lines queries, keys;        // one group after the other
    std::vector<Scalar> weights;

    FeatureLines(const FeatureMap& map, const MaskProduct<Scalar>& product, const Inputs<Scalar>& in)
        : groups((map.columns() + lanes - 1) / lanes),
          size(product.size()),
          queries(static_cast<std::size_t>(groups * size)),
          keys(queries) {
        const Index length = in.keys.rows(), tiles = (length + query_tile - 1) / query_tile;
        places.resize(static_cast<std::size_t>(length));
        weights.resize(static_cast<std::size_t>(length));
        for (Index j = 0; j < length; ++j) places[j] = product.place(j);
        Eigen::VectorXi exponents(length);
#pragma omp parallel for schedule(static) proc_bind(spread)
        for (Index tile = 0; tile < tiles; ++tile) {
            const Index first = tile * query_tile, n = std::min(query_tile, length - first);
            FeatureBlock<Scalar> block;
            KeyWeights<Scalar> own;
            map.evaluate(Side::query, in.queries.middleRows(first, n), block);
            place(block.values, first, queries);
            map.evaluate(Side::key, in.keys.middleRows(first, n), block);
            place(block.values, first, keys);
            own.assign(block, in, first);
            std::copy_n(own.mantissas.data(), n, weights.begin() + first);
            exponents.segment(first, n) = own.exponents;
        }
        // One power of two for all keys: a Fourier transform mixes them anyway.
        const int high = exponents.maxCoeff();
        for (Index j = 0; j < length; ++j) weights[j] *= power_of_two<Scalar>(exponents[j], high);
    }

private:
    void place(const Rows<Scalar>& features, Index first, Lines& lines) const {
        // Feature m is lane m % lanes of group m / lanes.
        for (Index i = 0; i < features.rows(); ++i)
            for (Index m = 0; m < features.cols(); ++m)
                lines[m / lanes * size + places[first + i]].values[m % lanes] = features(i, m);
    }
};

/// Columns c and c + 1 of the values as real and imaginary parts; after the last column ones, the values of
/// denominators, and then zeros. Each is over the power of two of its largest entry, since a transform's errors are as
/// large as the larger one's.
template <class Scalar>
struct ColumnPair {
    std::array<Scalar, 2> scales{1, 1};
    Eigen::Matrix<Scalar, Eigen::Dynamic, 2> entries;

    ColumnPair(const Inputs<Scalar>& in, Index first) : entries(in.values.rows(), 2) {
        for (Index k = 0; k < 2; ++k) {
            if (first + k >= in.values.cols()) {
                entries.col(k).setConstant(first + k == in.values.cols() ? 1 : 0);
                continue;
            }
            const auto column = in.values.col(first + k);
            using Limits = std::numeric_limits<Scalar>;
            const Scalar largest = column.cwiseAbs().maxCoeff();
            int exponent = 0;
            // The power of two and its inverse must both be numbers.
            std::frexp(largest, &exponent);
            exponent = std::clamp(exponent, Limits::min_exponent, Limits::max_exponent - 1);
            scales[static_cast<std::size_t>(k)] = largest == 0 ? 0 : std::ldexp(Scalar(1), exponent);
            entries.col(k) = column * std::ldexp(Scalar(1), -exponent);
        }
    }
};

template <class Scalar>
Outcome attend_fft(const FeatureMap& map, const ToeplitzMask& mask, const Inputs<Scalar>& in, Rows<Scalar>& out) {
    const MaskProduct<Scalar> product(mask);
    // Features are made once, for all columns of the values.
    const FeatureLines<Scalar> lines(map, product, in);
    const Index length = mask.length(), values = in.values.cols();
    Column<Scalar> denominators(length);
    // Two value columns a turn, and last the denominators; features in their order.
#pragma omp parallel proc_bind(spread)
    {
        typename MaskProduct<Scalar>::Workspace workspace(product);
        using Line = Eigen::Array<std::complex<Scalar>, Eigen::Dynamic, 1>;
        Line line = Line::Zero(product.size()), twisted, sum(product.size()), result;
#pragma omp for schedule(dynamic)
        for (Index c = 0; c <= values; c += 2) {
            // Values over their powers of two, with the keys' weights: so features are the same for all columns.
            const ColumnPair<Scalar> pair(in, c);
            for (Index j = 0; j < length; ++j)
                line[lines.places[j]] = {lines.weights[j] * pair.entries(j, 0), lines.weights[j] * pair.entries(j, 1)};
            result.setZero(product.size());
            for (Index part = 0; part < product.parts(); ++part) {
                // T as the sum of its parts, D_p^* F^-1 S_p F D_p.
                const Eigen::Map<const Line> twist(product.twist(part), product.size());
                twisted = twist * line;
                product.multiply(part, workspace, lines.groups, lines.queries.data(), lines.keys.data(), twisted.data(),
                                 sum.data());
                result += twist.conjugate() * sum;
            }
            for (Index i = 0; i < length; ++i) {
                // The real and the imaginary part are two columns of the output, and after the last one the
                // denominators.
                const std::complex<Scalar> entry = result[lines.places[i]];
                if (c < values) out(i, c) = entry.real() * pair.scales[0];
                if (c + 1 < values) out(i, c + 1) = entry.imag() * pair.scales[1];
                if (c == values) denominators[i] = entry.real();
                if (c + 1 == values) denominators[i] = entry.imag();
            }
        }
    }
    return divide(denominators, out, 0);
}

}  // namespace

template <class Scalar>
MaskPath cheaper_path(const ToeplitzMask& mask, Index columns, Index value_columns) {
    constexpr Index lanes = transforms::lanes<Scalar>;
    const double length = static_cast<double>(mask.length());
    const double features = static_cast<double>(columns), values = static_cast<double>(value_columns);
    const Index padded = (columns + lanes - 1) / lanes * lanes;
    const double fft = static_cast<double>(padded) * (values + 2) / 2 * mask_blocks(mask).operations();
    const double dense = (mask.causal() ? 1 : 2) * length * length * (features + values);
    return fft < dense ? MaskPath::fft : MaskPath::dense;
}

template <class Scalar>
MaskedOutcome masked(const FeatureMap& map, const ToeplitzMask& mask, const Inputs<Scalar>& in, Rows<Scalar>& out,
                     MaskPath path) {
    // A mask relates each token with each: as many queries as keys, which is what causal attention asks for too.
    check(in, Visible::causal, out);
    if (mask.length() != in.queries.rows())
        throw std::invalid_argument("attention: the mask is for " + std::to_string(mask.length()) + " tokens, given " +
                                    std::to_string(in.queries.rows()));
    check_map(map, in);
    if (path == MaskPath::automatic) path = cheaper_path<Scalar>(mask, map.columns(), in.values.cols());
    out.resize(in.queries.rows(), in.values.cols());
    if (mask.length() == 0) return {{}, path};
    return {path == MaskPath::fft ? attend_fft(map, mask, in, out) : attend_dense(map, mask, in, out), path};
}

template MaskPath cheaper_path<float>(const ToeplitzMask&, Index, Index);
template MaskPath cheaper_path<double>(const ToeplitzMask&, Index, Index);
template MaskedOutcome masked(const FeatureMap&, const ToeplitzMask&, const Inputs<float>&, Rows<float>&, MaskPath);
template MaskedOutcome masked(const FeatureMap&, const ToeplitzMask&, const Inputs<double>&, Rows<double>&, MaskPath);

}  // namespace rfbench::attention
