#pragma once
#include <optional>
#include <type_traits>

#include "rfbench/features/differentiable_map.hpp"
#include "rfbench/features/maps/affine_product.hpp"
#include "rfbench/features/maps/double_and_float.hpp"
#include "rfbench/features/maps/nonlinearity.hpp"
#include "rfbench/sampling/scheme.hpp"

namespace rfbench::attention {

/// Features of generalized attention (Choromanski et al. 2021; Likhosherstov 2022, (3.9) with A = P1 P2'): feature m of
/// a row x is g((W' x)_m), the same for queries and keys. There is no kernel behind them and no factor 1/M: the weight
/// of a pair is g(W' q).g(W' k).
///
/// A block holds values = features / max_m |feature| and that maximum in the log scale, which is part of a key's
/// weight; a row whose features are all zero keeps the log scale 0 and is counted as vanished. Features too small for
/// Scalar are no reason to vanish as long as double, or the logarithm of exp, holds them, and none too large for it is
/// one to overflow.
class GeneralizedMap final : public features::FeatureMapOf<GeneralizedMap>,
                             public features::DifferentiableMapOf<GeneralizedMap> {
public:
    /// W, d x M. Throws std::invalid_argument unless d > 0, M > 0 and all entries are finite.
    GeneralizedMap(const features::Nonlinearity&, const Projections& weights);
    /// W = I, M = d. Throws std::invalid_argument unless d > 0.
    GeneralizedMap(const features::Nonlinearity&, Index dimension);

    Index columns() const override { return weights_.cols(); }
    features::LargestEntry largest_entry() const override;
    template <class Scalar>
    void evaluate_rows(features::Side, const RowsView<Scalar>&, features::FeatureBlock<Scalar>&) const;
    template <class Scalar>
    void pull_rows_back(features::Side, const RowsView<Scalar>&, const features::FeatureBlock<Scalar>&,
                        const Rows<Scalar>&, Rows<Scalar>&) const;

    /// g'((W' x)_m) / exp(log_scale) for rows whose features are `block`: the slope of its values, n x M, while the
    /// row's scale is held, or the largest Scalar where that is larger. Given gradients G with respect to values, those
    /// with respect to rows are (G o slope) W'.
    template <class Scalar>
    void derivative(const std::type_identity_t<RowsView<Scalar>>& rows, const features::FeatureBlock<Scalar>& block,
                    Rows<Scalar>& out) const;

    const Projections& weights() const { return weights_; }

private:
    /// Writes W' of n rows to row `first` of out and those that follow.
    template <class Scalar>
    void project(const RowsView<Scalar>& rows, Rows<Scalar>& out, Index first) const;

    features::Nonlinearity mapping_;
    Projections weights_;
    std::optional<features::DoubleAndFloat<features::AffineProduct>> projection_;  // none: W = I
};

/// W of `count` columns drawn by a scheme: iid, orthogonal, ...
GeneralizedMap generalized_map(const features::Nonlinearity&, Index dimension, Index count, const sampling::Scheme&,
                               const Stream&);

/// The Linear Transformer (Katharopoulos et al. 2020): elu(x) + 1, no projection.
GeneralizedMap linear_transformer_map(Index dimension);

}  // namespace rfbench::attention
