#pragma once
#include <optional>

#include "rfbench/features/feature_map.hpp"
#include "rfbench/features/maps/affine_product.hpp"
#include "rfbench/features/maps/nonlinearity.hpp"
#include "rfbench/sampling/scheme.hpp"

namespace rfbench::attention {

/// Features of generalized attention (Choromanski et al. 2021; Likhosherstov 2022, (3.9) with A = P1 P2'): feature m of
/// a row x is g((W' x)_m), the same for queries and keys. There is no kernel behind them and no factor 1/M: the weight
/// of a pair is g(W' q).g(W' k).
///
/// A block holds values = features / max_m |feature| and that maximum in the log scale, which is part of a key's
/// weight; a row whose features are all zero keeps the log scale 0 and is counted as vanished. Features too small for
/// Scalar are no reason to vanish as long as double, or the logarithm of exp, holds them.
class GeneralizedMap final : public features::FeatureMap {
public:
    /// W, d x M. Throws std::invalid_argument unless d > 0, M > 0 and all entries are finite.
    GeneralizedMap(const features::Nonlinearity&, const Projections& weights);
    /// W = I, M = d. Throws std::invalid_argument unless d > 0.
    GeneralizedMap(const features::Nonlinearity&, Index dimension);

    Index columns() const override { return weights_.cols(); }
    void evaluate(features::Side, const RowsView<double>&, features::FeatureBlock<double>&) const override;
    void evaluate(features::Side, const RowsView<float>&, features::FeatureBlock<float>&) const override;

    void pullback(features::Side, const RowsView<double>&, const features::FeatureBlock<double>&, const Rows<double>&,
                  Rows<double>&) const override;
    void pullback(features::Side, const RowsView<float>&, const features::FeatureBlock<float>&, const Rows<float>&,
                  Rows<float>&) const override;

    /// g'((W' x)_m) / exp(log_scale) for rows whose features are `block`: the slope of its values, n x M, while the
    /// row's scale is held, or the largest Scalar where that is larger. Given gradients G with respect to values, those
    /// with respect to rows are (G o slope) W'.
    void derivative(const RowsView<double>& rows, const features::FeatureBlock<double>& block, Rows<double>& out) const;
    void derivative(const RowsView<float>& rows, const features::FeatureBlock<float>& block, Rows<float>& out) const;

    const Projections& weights() const { return weights_; }

private:
    template <class Scalar>
    struct Product {
        std::optional<features::AffineProduct<Scalar>> projection;  // none: W = I
        void apply(const RowsView<Scalar>& rows, Rows<Scalar>& out, Index first) const;
    };
    const Product<double>& product(double) const { return wide_; }
    const Product<float>& product(float) const { return narrow_; }

    /// Whether a row of products is so low that g is exp there: then it is shifted before it is exponentiated.
    template <class Row>
    bool exponential(const Row& products) const {
        return static_cast<double>(products.maxCoeff()) < mapping_.exponential_below;
    }
    template <class Scalar>
    void evaluate_with(const RowsView<Scalar>&, features::FeatureBlock<Scalar>&) const;
    template <class Scalar>
    void pull_back(const RowsView<Scalar>&, const features::FeatureBlock<Scalar>&, const Rows<Scalar>&,
                   Rows<Scalar>&) const;
    template <class Scalar>
    void differentiate(const RowsView<Scalar>&, const features::FeatureBlock<Scalar>&, Rows<Scalar>&) const;

    features::Nonlinearity mapping_;
    Projections weights_;
    Product<double> wide_;
    Product<float> narrow_;
};

/// W of `count` columns drawn by a scheme: iid, orthogonal, ...
GeneralizedMap generalized_map(const features::Nonlinearity&, Index dimension, Index count, const sampling::Scheme&,
                               const Stream&);

/// The Linear Transformer (Katharopoulos et al. 2020): elu(x) + 1, no projection.
GeneralizedMap linear_transformer_map(Index dimension);

}  // namespace rfbench::attention
