#include "rfbench/attention/masked_exact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "rfbench/attention/masked_tile.hpp"
#include "rfbench/parallel/in_order.hpp"

namespace rfbench::attention {
namespace {

using parallel::InOrder;
using parallel::Loop;
using parallel::Share;
using products::Panels;
using products::strided;

/// All keys, as factors of products.
template <class Scalar>
struct SoftmaxKeys {
    Panels<Scalar> keys, transposed;  // L x d and d x L
    ValueFactors<Scalar> values;
    Scalar scale;

    explicit SoftmaxKeys(const Inputs<Scalar>& in)
        : keys(strided(in.keys)),
          transposed(strided(in.keys).transposed()),
          values(in.values),
          scale(static_cast<Scalar>(1 / std::sqrt(static_cast<double>(in.queries.cols())))) {}
};

template <class Scalar>
class SoftmaxTile {
public:
    SoftmaxTile(const ToeplitzMask& mask, const Inputs<Scalar>& in, const SoftmaxKeys<Scalar>& keys)
        : mask_(mask), in_(in), keys_(keys) {}

    /// Weights over that of the largest score that a query sees, and what comes of them.
    void attend(Index first, Index n) {
        Rows<Scalar>& weights = tile_.weights;
        queries_ = in_.queries.middleRows(first, n) * keys_.scale;
        weights.resize(n, mask_.length());
        keys_.transposed.multiply(strided(queries_), weights.data(), weights.cols());
        mask_.tile(first, n, 0, mask_.length(), tile_.mask);
        // exp of it times values and gradients is within Scalar.
        constexpr Scalar most = std::is_same_v<Scalar, double> ? 600 : 60;
        constexpr Scalar none = -std::numeric_limits<Scalar>::infinity();
        const bool causal = mask_.causal();
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < weights.cols(); ++j)
                if (!in_.keeps(j) || (causal && j > first + i)) weights(i, j) = none;
            const Scalar high = (tile_.mask.row(i).array() > 0).select(weights.row(i).array(), none).maxCoeff();
            // Scores that the mask hides may be larger; their weights count for its gradient alone.
            if (high == none)
                weights.row(i).setZero();
            else
                weights.row(i) = (weights.row(i).array() - high).min(most).exp();
        }
        tile_.attend(keys_.values);
    }
    Outcome write(Index first, Rows<Scalar>& out) const {
        out.middleRows(first, tile_.numerators.rows()) = tile_.numerators;
        return divide(tile_.denominators, out, first);
    }

    /// After attend(): sends back to the queries, and keeps the rest for add().
    Counts backward(Index first, const RowsView<Scalar>& gradient, MaskedGradients<Scalar>& out) {
        scores_ = tile_.weights;
        const Counts counts = tile_.backward(keys_.values, gradient);
        // dS = W o dW.
        scores_ = scores_.cwiseProduct(tile_.weights);
        const Index n = scores_.rows(), d = in_.queries.cols();
        rows_.resize(n, d);
        keys_.keys.multiply(strided(scores_), rows_.data(), d);
        out.queries.middleRows(first, n) = keys_.scale * rows_;
        packed_.pack(strided(queries_));
        by_keys_.resize(scores_.cols(), d);
        packed_.multiply(strided(scores_).transposed(), by_keys_.data(), d);
        return counts;
    }
    void add(Index first, MaskedGradients<Scalar>& out) const {
        out.keys += by_keys_;
        out.values += tile_.by_values;
        mask_.add_by_numbers(first, 0, tile_.mask, out.numbers);
    }

private:
    const ToeplitzMask& mask_;
    const Inputs<Scalar>& in_;
    const SoftmaxKeys<Scalar>& keys_;
    MaskedTile<Scalar> tile_;
    Rows<Scalar> queries_, scores_, rows_, by_keys_;
    Panels<Scalar> packed_;
};

}  // namespace

template <class Scalar>
Outcome masked_exact(const ToeplitzMask& mask, const Inputs<Scalar>& in, Rows<Scalar>& out) {
    check(in, Visible::causal, out);
    check_scores(in);
    check_mask(mask, in);
    const Index length = mask.length(), tiles = (length + masked_queries - 1) / masked_queries;
    out.resize(length, in.values.cols());
    const SoftmaxKeys<Scalar> keys(in);
    const auto make = [&] { return SoftmaxTile<Scalar>(mask, in, keys); };
    return {Loop(tiles, Share::in_order).run(make, [&](SoftmaxTile<Scalar>& tile, Index number) {
        const Index first = number * masked_queries;
        tile.attend(first, std::min(masked_queries, length - first));
        return tile.write(first, out).nonpositive;
    })};
}

template <class Scalar>
Outcome masked_exact_backward(const ToeplitzMask& mask, const Inputs<Scalar>& in,
                              const RowsView<Scalar>& output_gradient, MaskedGradients<Scalar>& out) {
    check(in, Visible::causal);
    check_scores(in);
    check_mask(mask, in);
    check_gradients(in, output_gradient, out);
    const Index length = mask.length(), tiles = (length + masked_queries - 1) / masked_queries;
    out.queries.resize(length, in.queries.cols());
    out.keys.setZero(length, in.keys.cols());
    out.values.setZero(length, in.values.cols());
    out.numbers.setZero(mask.numbers());
    const SoftmaxKeys<Scalar> keys(in);
    InOrder turns;
    Loop loop(tiles, Share::in_order);
    const auto make = [&] { return SoftmaxTile<Scalar>(mask, in, keys); };
    const Counts counts = loop.run(make, [&](SoftmaxTile<Scalar>& tile, Index number) {
        const Index first = number * masked_queries, n = std::min(masked_queries, length - first);
        tile.attend(first, n);
        const Counts own = tile.backward(first, output_gradient.middleRows(first, n), out);
        turns.run(loop, number, [&] { tile.add(first, out); });
        return own;
    });
    out.left_out = counts.left_out;
    return {counts.nonpositive};
}

template Outcome masked_exact(const ToeplitzMask&, const Inputs<float>&, Rows<float>&);
template Outcome masked_exact(const ToeplitzMask&, const Inputs<double>&, Rows<double>&);
template Outcome masked_exact_backward(const ToeplitzMask&, const Inputs<float>&, const RowsView<float>&,
                                       MaskedGradients<float>&);
template Outcome masked_exact_backward(const ToeplitzMask&, const Inputs<double>&, const RowsView<double>&,
                                       MaskedGradients<double>&);

}  // namespace rfbench::attention
