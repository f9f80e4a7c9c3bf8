#pragma once
#include "rfbench/networks/affine.hpp"

namespace rfbench::networks {

/// exact: z Phi(z), Phi the normal distribution function (Hendrycks and Gimpel 2016). by_tanh: GPT-2's
/// z (1 + tanh(sqrt(2 / pi) (z + 0.044715 z^3))) / 2.
enum class Gelu { exact, by_tanh };

/// Replaces z by gelu(z), and writes gelu'(z).
template <class Scalar>
void apply_gelu(Gelu, Rows<Scalar>& z, Rows<Scalar>& slope);

/// y = gelu(x W + b) W' + b': width -> inner -> width.
class FeedForward {
public:
    FeedForward() = default;
    /// Adds `name`.c_fc and `name`.c_proj to the layout.
    FeedForward(Layout&, const std::string& name, Index width, Index inner, Gelu, Bias);

    const Affine& widen() const { return widen_; }    ///< W and b
    const Affine& narrow() const { return narrow_; }  ///< W' and b'

    /// Values of the forward pass that the backward pass needs.
    template <class Scalar>
    struct Pass {
        Rows<Scalar> inner, slope;  ///< gelu(z) and gelu'(z), z = x W + b
    };

    /// Writes y for rows x; tiles of rows share the threads.
    template <class Scalar>
    void forward(const Weights<Scalar>&, const Rows<Scalar>& x, Pass<Scalar>&, Rows<Scalar>& y) const;
    /// Adds the parameters' gradients to `gradient` and writes that of x. `pass` is used up.
    template <class Scalar>
    void backward(const Weights<Scalar>&, const Rows<Scalar>& x, Pass<Scalar>& pass, const Rows<Scalar>& by_y,
                  Column<Scalar>& gradient, Rows<Scalar>& by_x) const;

private:
    Affine widen_, narrow_;
    Gelu gelu_ = Gelu::exact;
};

}  // namespace rfbench::networks
