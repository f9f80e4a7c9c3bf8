#pragma once
#include "rfbench/features/differentiable_map.hpp"
#include "rfbench/features/mechanism.hpp"

namespace rfbench::attention {

/// Features of the softmax kernel exp(q.k / sqrt d) from those of the Gaussian one: with x = q d^(-1/4), y = k
/// d^(-1/4), exp(x.y) = exp(|x|^2 / 2) K(x, y) exp(|y|^2 / 2) (Likhosherstov 2022, (3.3)); the new factors are in the
/// log scales. Those that were made of features of the softmax kernel are these, to the bit. They have gradients if the
/// Gaussian ones do.
class SoftmaxMap final : public features::FeatureMapOf<SoftmaxMap>, public features::DifferentiableMapOf<SoftmaxMap> {
public:
    /// `gaussian` was drawn for dimension d. Throws std::invalid_argument without one, for another dimension and for
    /// one that is not positive.
    SoftmaxMap(std::shared_ptr<const features::FeatureMap> gaussian, Index dimension);

    Index columns() const override { return gaussian_->columns(); }
    features::LargestEntry largest_entry() const override { return (own_ ? own_ : gaussian_)->largest_entry(); }
    const features::DifferentiableMap* differentiable() const override {
        return gaussian_->differentiable() ? this : nullptr;
    }
    products::Arithmetic arithmetic() const override { return gaussian_->arithmetic(); }
    std::shared_ptr<const features::FeatureMap> with_arithmetic(const products::Arithmetic&) const override;

    /// Features of rows q or k, n x d, in double or float: those of the Gaussian kernel at q d^(-1/4), log scales
    /// larger by |q|^2 / (2 sqrt d). Called by FeatureMap::evaluate.
    template <class Scalar>
    void evaluate_rows(features::Side, const RowsView<Scalar>&, features::FeatureBlock<Scalar>&) const;
    /// From the gradient with respect to the features of rows, n x R: that with respect to the rows, n x d. Called by
    /// DifferentiableMap::pullback.
    template <class Scalar>
    void pull_rows_back(features::Side, const RowsView<Scalar>&, const features::FeatureBlock<Scalar>&,
                        const Rows<Scalar>&, Rows<Scalar>&) const;

private:
    Index dimension_;
    double scale_;
    std::shared_ptr<const features::FeatureMap> gaussian_;
    std::shared_ptr<const features::FeatureMap> own_;  // FeatureMap::of_softmax
};

/// The statistics of scaled queries and keys, which a mechanism is fitted from; the Poisson moments, which cost more
/// than all else, may be left out for mechanisms that do not want them (MechanismInfo::poisson_moments).
features::Statistics softmax_statistics(const PointsView& queries, const PointsView& keys,
                                        features::PoissonMoments = features::PoissonMoments::computed);

/// A mechanism fitted and drawn for these queries and keys: FAVOR++ for "optimal-positive". `count` draws.
SoftmaxMap softmax_map(const features::Mechanism&, Index dimension, Index count, const sampling::Scheme&,
                       const Stream&);

}  // namespace rfbench::attention
