#pragma once
#include "rfbench/networks/parameters.hpp"

namespace rfbench::networks {

/// Whether b is learned, or zero and no parameter.
enum class Bias { without, with };

/// y = x W + b for rows x, W in x out.
class Affine {
public:
    Affine() = default;
    /// Adds `name`.weight and, with a bias, `name`.bias to the layout.
    Affine(Layout&, const std::string& name, Index in, Index out, Bias);

    /// W, in x out.
    const Parameter& weight() const { return weight_; }

    /// y = x W + b. Tiles of rows share the threads of the surrounding OpenMP settings.
    template <class Scalar>
    void forward(const Weights<Scalar>&, const Rows<Scalar>& x, Rows<Scalar>& y) const;

    /// Backward pass. by_y is the gradient with respect to y. Adds the gradients with respect to W and b to `gradient`,
    /// and writes the gradient with respect to x to by_x.
    template <class Scalar>
    void backward(const Weights<Scalar>&, const Rows<Scalar>& x, const Rows<Scalar>& by_y, Column<Scalar>& gradient,
                  Rows<Scalar>& by_x) const;
    /// The same without the gradient with respect to x, for maps whose x is the input of the network.
    template <class Scalar>
    void backward(const Rows<Scalar>& x, const Rows<Scalar>& by_y, Column<Scalar>& gradient) const;

private:
    Parameter weight_, bias_;
};

/// y = x B, B packed. `start` is a row with as many entries as B has columns and is added to each row of y; null adds
/// nothing. OpenMP threads share the tiles of rows.
template <class Scalar>
void multiply(const Rows<Scalar>& x, const products::Panels<Scalar>& b, const Scalar* start, Rows<Scalar>& y);

/// sums += x' y.
template <class Scalar>
void add_outer(const Rows<Scalar>& x, const Rows<Scalar>& y, Eigen::Map<Rows<Scalar>> sums);

}  // namespace rfbench::networks
