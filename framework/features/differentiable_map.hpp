#pragma once
#include <type_traits>

#include "rfbench/features/feature_map.hpp"

namespace rfbench::features {

/// Features with gradients: FeatureMap::differentiable().
class DifferentiableMap {
public:
    /// P, the number of parameters that the features have gradients for; 0 where none is trained.
    virtual Index num_parameters() const { return 0; }

    /// The gradient with respect to the rows x_i, n x d, of sum_i exp(-log_scale_i) gradient_i . f(x_i), the log scales
    /// held as they are: what is left of a gradient with respect to `features.values`, which evaluate() gave for these
    /// rows. The gradient of the same sum with respect to the parameters is added to `by_parameters`, P entries; it may
    /// be empty where nobody asks for it.
    virtual void pullback(Side side, const RowsView<double>& rows, const FeatureBlock<double>& features,
                          const Rows<double>& gradient, Rows<double>& out, Vector& by_parameters) const = 0;
    /// The same in single precision; gradients of parameters are sums over many rows, in double.
    virtual void pullback(Side side, const RowsView<float>& rows, const FeatureBlock<float>& features,
                          const Rows<float>& gradient, Rows<float>& out, Vector& by_parameters) const = 0;

    /// The gradient with respect to the rows alone.
    template <class Scalar>
    void pullback(Side side, const std::type_identity_t<RowsView<Scalar>>& rows, const FeatureBlock<Scalar>& features,
                  const Rows<Scalar>& gradient, Rows<Scalar>& out) const {
        Vector none;
        pullback(side, rows, features, gradient, out, none);
    }

protected:
    ~DifferentiableMap() = default;
};

/// The gradients of a map without parameters that writes them once, as the template
/// pull_rows_back(side, rows, features, gradient, out).
template <class Map>
class DifferentiableMapOf : public DifferentiableMap {
public:
    using DifferentiableMap::pullback;

    void pullback(Side side, const RowsView<double>& rows, const FeatureBlock<double>& features,
                  const Rows<double>& gradient, Rows<double>& out, Vector&) const override {
        static_cast<const Map&>(*this).pull_rows_back(side, rows, features, gradient, out);
    }
    void pullback(Side side, const RowsView<float>& rows, const FeatureBlock<float>& features,
                  const Rows<float>& gradient, Rows<float>& out, Vector&) const override {
        static_cast<const Map&>(*this).pull_rows_back(side, rows, features, gradient, out);
    }

protected:
    ~DifferentiableMapOf() = default;
};

/// The gradients of a map with parameters that writes them once, as the template
/// pull_all_back(side, rows, features, gradient, out, by_parameters).
template <class Map>
class ParametricMapOf : public DifferentiableMap {
public:
    using DifferentiableMap::pullback;

    void pullback(Side side, const RowsView<double>& rows, const FeatureBlock<double>& features,
                  const Rows<double>& gradient, Rows<double>& out, Vector& by_parameters) const override {
        static_cast<const Map&>(*this).pull_all_back(side, rows, features, gradient, out, by_parameters);
    }
    void pullback(Side side, const RowsView<float>& rows, const FeatureBlock<float>& features,
                  const Rows<float>& gradient, Rows<float>& out, Vector& by_parameters) const override {
        static_cast<const Map&>(*this).pull_all_back(side, rows, features, gradient, out, by_parameters);
    }

protected:
    ~ParametricMapOf() = default;
};

}  // namespace rfbench::features
