#include "rfbench/attention/masked_backward.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "rfbench/attention/masked_fft.hpp"
#include "rfbench/attention/masked_tile.hpp"
#include "rfbench/attention/parts.hpp"
#include "rfbench/parallel/in_order.hpp"

namespace rfbench::attention {
namespace {

using features::FeatureBlock;
using features::FeatureMap;
using features::Side;
using parallel::InOrder;
using parallel::Loop;
using parallel::Share;
using products::Panels;
using products::strided;

/// All keys, and what queries send back to them.
template <class Scalar>
struct FeatureKeys {
    FeatureBlock<Scalar> features;
    KeyWeights<Scalar> weights;
    Panels<Scalar> factors, transposed;  // L x R and R x L
    ValueFactors<Scalar> values;
    Rows<Scalar> by_features;

    FeatureKeys(const FeatureMap& map, const Inputs<Scalar>& in) : values(in.values) {
        map.evaluate(Side::key, in.keys, features);
        weights.assign(features, in, 0);
        factors.pack(strided(features.values));
        transposed.pack(strided(features.values).transposed());
        by_features.setZero(in.keys.rows(), map.columns());
    }
};

/// Queries of one tile.
template <class Scalar>
class DenseTile {
public:
    DenseTile(const FeatureMap& map, const ToeplitzMask& mask, const Inputs<Scalar>& in,
              const FeatureKeys<Scalar>& keys)
        : map_(map), mask_(mask), in_(in), keys_(keys) {}

    /// Queries first .. first + n - 1 against all keys, whose gradients are kept for add().
    Counts queries(Index first, Index n, const RowsView<Scalar>& gradient, MaskedGradients<Scalar>& out) {
        map_.evaluate(Side::query, in_.queries.middleRows(first, n), features_);
        // Relative to the heaviest key that the tile's queries see.
        const Index seen = mask_.causal() ? first + n : mask_.length();
        powers_.setZero(mask_.length());
        powers_.head(seen) = keys_.weights.over(keys_.weights.exponents.head(seen).maxCoeff(), seen);

        tile_.weights.resize(n, mask_.length());
        keys_.transposed.multiply(strided(features_.values), tile_.weights.data(), tile_.weights.cols());
        tile_.weights.array().rowwise() *= powers_.transpose().array();
        mask_.tile(first, n, 0, mask_.length(), tile_.mask);
        tile_.attend(keys_.values);
        const Counts counts = tile_.backward(keys_.values, gradient.middleRows(first, n));

        // The tile leaves gradients of weights; those of estimates have the keys' powers of two again.
        tile_.weights.array().rowwise() *= powers_.transpose().array();
        back_.resize(n, map_.columns());
        keys_.factors.multiply(strided(tile_.weights), back_.data(), back_.cols());
        map_.differentiable()->pullback(Side::query, in_.queries.middleRows(first, n), features_, back_, rows_);
        out.queries.middleRows(first, n) = rows_;
        packed_.pack(strided(features_.values));
        by_keys_.resize(mask_.length(), map_.columns());
        packed_.multiply(strided(tile_.weights).transposed(), by_keys_.data(), by_keys_.cols());
        return counts;
    }
    /// Adds the last tile's gradients of keys, values and mask.
    void add(Index first, FeatureKeys<Scalar>& keys, MaskedGradients<Scalar>& out) const {
        keys.by_features += by_keys_;
        out.values += tile_.by_values;
        mask_.add_by_numbers(first, 0, tile_.mask, out.numbers);
    }

private:
    const FeatureMap& map_;
    const ToeplitzMask& mask_;
    const Inputs<Scalar>& in_;
    const FeatureKeys<Scalar>& keys_;
    FeatureBlock<Scalar> features_;
    MaskedTile<Scalar> tile_;
    Column<Scalar> powers_;
    Rows<Scalar> back_, rows_, by_keys_;
    Panels<Scalar> packed_;
};

template <class Scalar>
Counts backward_dense(const FeatureMap& map, const ToeplitzMask& mask, const Inputs<Scalar>& in,
                      const RowsView<Scalar>& gradient, MaskedGradients<Scalar>& out) {
    FeatureKeys<Scalar> keys(map, in);
    const Index length = mask.length(), tiles = (length + masked_queries - 1) / masked_queries;
    out.values.setZero(length, in.values.cols());
    out.numbers.setZero(mask.numbers());
    InOrder turns;
    Loop loop(tiles, Share::in_order);
    const auto make = [&] { return DenseTile<Scalar>(map, mask, in, keys); };
    const Counts counts = loop.run(make, [&](DenseTile<Scalar>& tile, Index number) {
        const Index first = number * masked_queries;
        const Counts own = tile.queries(first, std::min(masked_queries, length - first), gradient, out);
        turns.run(loop, number, [&] { tile.add(first, keys, out); });
        return own;
    });
    map.differentiable()->pullback(Side::key, in.keys, keys.features, keys.by_features, out.keys);
    return counts;
}

}  // namespace

template <class Scalar>
MaskedOutcome masked_backward(const FeatureMap& map, const ToeplitzMask& mask, const Inputs<Scalar>& in,
                              const RowsView<Scalar>& output_gradient, MaskedGradients<Scalar>& out, MaskPath path) {
    check(in, Visible::causal);
    check_mask(mask, in);
    check_map(map, in);
    check_gradients(in, output_gradient, out);
    if (!map.differentiable()) throw std::invalid_argument("attention: these features have no gradient");
    if (path == MaskPath::automatic) path = cheaper_path<Scalar>(mask, map.columns(), in.values.cols());
    out.queries.resize(in.queries.rows(), in.queries.cols());
    out.keys.resize(in.keys.rows(), in.keys.cols());
    out.values.setZero(in.values.rows(), in.values.cols());
    out.numbers.setZero(mask.numbers());
    if (mask.length() == 0) return {{}, path};
    const Counts counts = path == MaskPath::fft ? backward_fft(map, mask, in, output_gradient, out)
                                                : backward_dense(map, mask, in, output_gradient, out);
    // A causal mask has no offsets that look ahead, and no gradient for them.
    for (Index number = 0; mask.causal() && number < mask.numbers() - mask.before(); ++number)
        if (mask.offset(number) < ToeplitzMask::Offset{}) out.numbers[number] = 0;
    out.left_out = counts.left_out;
    return {{counts.nonpositive}, path};
}

template MaskedOutcome masked_backward(const FeatureMap&, const ToeplitzMask&, const Inputs<float>&,
                                       const RowsView<float>&, MaskedGradients<float>&, MaskPath);
template MaskedOutcome masked_backward(const FeatureMap&, const ToeplitzMask&, const Inputs<double>&,
                                       const RowsView<double>&, MaskedGradients<double>&, MaskPath);

}  // namespace rfbench::attention
