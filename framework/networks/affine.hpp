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

    /// From the gradient of y: adds those of W and b to `gradient`, and writes that of x.
    template <class Scalar>
    void backward(const Weights<Scalar>&, const Rows<Scalar>& x, const Rows<Scalar>& by_y, Column<Scalar>& gradient,
                  Rows<Scalar>& by_x) const;
    /// The same without that of x, which nobody asks for where x is what the network was given.
    template <class Scalar>
    void backward(const Rows<Scalar>& x, const Rows<Scalar>& by_y, Column<Scalar>& gradient) const;

private:
    Parameter weight_, bias_;
};

/// y = x B, B packed; tiles of rows share the threads.
/// Each row of y begins at `start`, a row as wide as B, or at zero where that is null.
template <class Scalar>
void multiply(const Rows<Scalar>& x, const products::Panels<Scalar>& b, const Scalar* start, Rows<Scalar>& y);

/// sums += x' y.
template <class Scalar>
void add_outer(const Rows<Scalar>& x, const Rows<Scalar>& y, Eigen::Map<Rows<Scalar>> sums);

}  // namespace rfbench::networks
