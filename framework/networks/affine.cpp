#include "rfbench/networks/affine.hpp"

#include <algorithm>

#include "rfbench/parallel/loop.hpp"

namespace rfbench::networks {

using parallel::Loop;
using parallel::Share;
using products::Panels;
using products::strided;

/// Rows of a product that a thread makes at a time: multiples of those that share a reading of a factor.
constexpr Index tile = 16 * products::rows_at_once;

Affine::Affine(Layout& layout, const std::string& name, Index in, Index out, Bias bias)
    : weight_(layout.add_factor(name + ".weight", in, out)) {
    if (bias == Bias::with) bias_ = layout.add(name + ".bias", 1, out);
}

template <class Scalar>
void multiply(const Rows<Scalar>& x, const Panels<Scalar>& b, const Scalar* start, Rows<Scalar>& y) {
    y.resize(x.rows(), b.columns());
    Loop((x.rows() + tile - 1) / tile, Share::evenly).run([&](Index number) {
        const Index first = number * tile;
        const auto rows = x.middleRows(first, std::min(tile, x.rows() - first));
        Scalar* const out = y.data() + first * y.cols();
        if (start)
            b.multiply(strided(rows), start, 0, out, y.cols());
        else
            b.multiply(strided(rows), out, y.cols());
    });
}

template <class Scalar>
void add_outer(const Rows<Scalar>& x, const Rows<Scalar>& y, Eigen::Map<Rows<Scalar>> sums) {
    // So many rows of y at a time that a panel of them stays in the first-level cache, in equal steps.
    const Index steps = (x.rows() + 119) / 120, step = steps > 0 ? (x.rows() + steps - 1) / steps : 1;
    Panels<Scalar> panels;
    for (Index first = 0; first < x.rows(); first += step) {
        const Index n = std::min(step, x.rows() - first);
        panels.pack(strided(y.middleRows(first, n)));
        // Each entry of the sums is added to in the order of rows, whichever thread has it.
        Loop((x.cols() + tile - 1) / tile, Share::evenly).run([&](Index number) {
            const Index at = number * tile;
            panels.multiply(strided(x.block(first, at, n, std::min(tile, x.cols() - at))).transposed(), &sums(at, 0),
                            sums.cols(), &sums(at, 0), sums.cols());
        });
    }
}

template <class Scalar>
void Affine::forward(const Weights<Scalar>& weights, const Rows<Scalar>& x, Rows<Scalar>& y) const {
    multiply(x, weights.factor(weight_), bias_.size() > 0 ? weights[bias_].data() : nullptr, y);
}

template <class Scalar>
void Affine::backward(const Weights<Scalar>& weights, const Rows<Scalar>& x, const Rows<Scalar>& by_y,
                      Column<Scalar>& gradient, Rows<Scalar>& by_x) const {
    // x' by_y for W, by_y W' for x.
    backward(x, by_y, gradient);
    multiply<Scalar>(by_y, weights.transposed(weight_), nullptr, by_x);
}

template <class Scalar>
void Affine::backward(const Rows<Scalar>& x, const Rows<Scalar>& by_y, Column<Scalar>& gradient) const {
    add_outer(x, by_y, view(gradient, weight_));
    if (bias_.size() == 0) return;
    auto by_bias = view(gradient, bias_);
    for (Index i = 0; i < by_y.rows(); ++i) by_bias += by_y.row(i);
}

template void multiply(const Rows<float>&, const Panels<float>&, const float*, Rows<float>&);
template void add_outer(const Rows<float>&, const Rows<float>&, Eigen::Map<Rows<float>>);
template void Affine::forward(const Weights<float>&, const Rows<float>&, Rows<float>&) const;
template void Affine::backward(const Weights<float>&, const Rows<float>&, const Rows<float>&, Column<float>&,
                               Rows<float>&) const;
template void Affine::backward(const Rows<float>&, const Rows<float>&, Column<float>&) const;
template void multiply(const Rows<double>&, const Panels<double>&, const double*, Rows<double>&);
template void add_outer(const Rows<double>&, const Rows<double>&, Eigen::Map<Rows<double>>);
template void Affine::forward(const Weights<double>&, const Rows<double>&, Rows<double>&) const;
template void Affine::backward(const Weights<double>&, const Rows<double>&, const Rows<double>&, Column<double>&,
                               Rows<double>&) const;
template void Affine::backward(const Rows<double>&, const Rows<double>&, Column<double>&) const;

}  // namespace rfbench::networks
