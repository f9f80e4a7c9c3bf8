#pragma once
#include "rfbench/features/feature_map.hpp"

namespace rfbench::features {

/// Features with gradients: FeatureMap::differentiable().
class DifferentiableMap {
public:
    /// The gradient with respect to the rows x_i, n x d, of sum_i exp(-log_scale_i) gradient_i . f(x_i), the log scales
    /// held as they are: what is left of a gradient with respect to `features.values`, which evaluate() gave for these
    /// rows.
    virtual void pullback(Side side, const RowsView<double>& rows, const FeatureBlock<double>& features,
                          const Rows<double>& gradient, Rows<double>& out) const = 0;
    /// The same in single precision.
    virtual void pullback(Side side, const RowsView<float>& rows, const FeatureBlock<float>& features,
                          const Rows<float>& gradient, Rows<float>& out) const = 0;

protected:
    ~DifferentiableMap() = default;
};

/// The gradients of a map that writes them once, as the template pull_rows_back(side, rows, features, gradient, out).
template <class Map>
class DifferentiableMapOf : public DifferentiableMap {
public:
    void pullback(Side side, const RowsView<double>& rows, const FeatureBlock<double>& features,
                  const Rows<double>& gradient, Rows<double>& out) const override {
        static_cast<const Map&>(*this).pull_rows_back(side, rows, features, gradient, out);
    }
    void pullback(Side side, const RowsView<float>& rows, const FeatureBlock<float>& features,
                  const Rows<float>& gradient, Rows<float>& out) const override {
        static_cast<const Map&>(*this).pull_rows_back(side, rows, features, gradient, out);
    }

protected:
    ~DifferentiableMapOf() = default;
};

}  // namespace rfbench::features
