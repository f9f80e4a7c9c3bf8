#pragma once
#include "rfbench/networks/parameters.hpp"

namespace rfbench::networks {

/// y = scale (x - mean x) / sqrt(var x + epsilon) + shift, row by row (Ba et al. 2016); a row of equal entries becomes
/// `shift`, epsilon being zero or not.
class LayerNorm {
public:
    LayerNorm() = default;
    /// Adds `name`.weight (scale) and `name`.bias (shift) to the layout. Throws std::invalid_argument for an epsilon
    /// that is negative or not finite.
    LayerNorm(Layout&, const std::string& name, Index width, double epsilon);

    /// 1 x width.
    const Parameter& scale() const { return scale_; }

    /// Values of the forward pass that the backward pass needs.
    template <class Scalar>
    struct Pass {
        Rows<Scalar> normal;     ///< (x - mean x) / sqrt(var x + epsilon)
        Column<Scalar> factors;  ///< 1 / sqrt(var x + epsilon), or zero
    };

    /// Writes y for rows x, and what the backward pass needs.
    template <class Scalar>
    void forward(const Weights<Scalar>&, const Rows<Scalar>& x, Pass<Scalar>&, Rows<Scalar>& y) const;
    /// Adds the parameters' gradients to `gradient`, and writes that of x, which may be by_y itself.
    template <class Scalar>
    void backward(const Weights<Scalar>&, const Pass<Scalar>&, const Rows<Scalar>& by_y, Column<Scalar>& gradient,
                  Rows<Scalar>& by_x) const;

private:
    Parameter scale_, shift_;
    double epsilon_ = 0;
};

}  // namespace rfbench::networks
