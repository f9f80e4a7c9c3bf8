#pragma once
#include "rfbench/networks/parameters.hpp"
#include "rfbench/networks/sequence.hpp"

namespace rfbench::networks {

/// Depthwise convolution over tokens: y_t = sum_{s = 0 .. k - 1} w_s o x_{t + ahead - s}, o entry by entry. Its window
/// is the k tokens t + ahead - k + 1 .. t + ahead; tokens outside of the sequence count as zero. With ahead = 0 it is
/// causal: the short convolution with which one layer can learn recall (Arora et al. 2023).
class Convolution {
public:
    Convolution() = default;
    /// Adds `name`.weight, w, k x width, to the layout. Throws std::invalid_argument unless k >= 1.
    Convolution(Layout&, const std::string& name, Index tokens, Index width, Index ahead = 0);

    /// w, tokens x width.
    const Parameter& weight() const { return weight_; }

    /// Writes y for the rows of all sequences.
    template <class Scalar>
    void forward(const Weights<Scalar>&, const Starts&, const Rows<Scalar>& x, Rows<Scalar>& y) const;
    /// From the gradient of y: adds that of w to `gradient`, and writes that of x.
    template <class Scalar>
    void backward(const Weights<Scalar>&, const Starts&, const Rows<Scalar>& x, const Rows<Scalar>& by_y,
                  Column<Scalar>& gradient, Rows<Scalar>& by_x) const;

private:
    Parameter weight_;
    Index ahead_ = 0;
};

}  // namespace rfbench::networks
