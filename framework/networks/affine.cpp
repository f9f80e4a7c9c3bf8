#include "rfbench/networks/affine.hpp"

#include <algorithm>

namespace rfbench::networks {

using products::Panels;
using products::strided;

Affine::Affine(Layout& layout, const std::string& name, Index in, Index out, Bias bias)
    : weight_(layout.add_factor(name + ".weight", in, out)) {
    if (bias == Bias::with) bias_ = layout.add(name + ".bias", 1, out);
}

template <class Scalar>
void multiply(const Rows<Scalar>& x, const Panels<Scalar>& b, const Scalar* start, Rows<Scalar>& y) {
    // Multiples of the rows that share a reading of B.
    constexpr Index tile = 16 * products::rows_at_once;
    y.resize(x.rows(), b.columns());
#pragma omp parallel for schedule(static) if (x.rows() > tile)
    for (Index first = 0; first < x.rows(); first += tile) {
        const auto rows = x.middleRows(first, std::min(tile, x.rows() - first));
        Scalar* const out = y.data() + first * y.cols();
        if (start)
            b.multiply(strided(rows), start, 0, out, y.cols());
        else
            b.multiply(strided(rows), out, y.cols());
    }
}

template <class Scalar>
void add_outer(const Rows<Scalar>& x, const Rows<Scalar>& y, Eigen::Map<Rows<Scalar>> sums) {
    // So many rows of y at a time that a panel of them stays in the first-level cache.
    constexpr Index step = 120;
    Panels<Scalar> panels;
    for (Index first = 0; first < x.rows(); first += step) {
        const Index n = std::min(step, x.rows() - first);
        panels.pack(strided(y.middleRows(first, n)));
        panels.multiply(strided(x.middleRows(first, n)).transposed(), sums.data(), sums.cols(), sums.data(),
                        sums.cols());
    }
}

template <class Scalar>
void Affine::forward(const Weights<Scalar>& weights, const Rows<Scalar>& x, Rows<Scalar>& y) const {
    multiply(x, weights.factor(weight_), bias_.size() > 0 ? weights[bias_].data() : nullptr, y);
}

template <class Scalar>
void Affine::backward(const Weights<Scalar>& weights, const Rows<Scalar>& x, const Rows<Scalar>& by_y,
                      Column<Scalar>& gradient, Rows<Scalar>& by_x) const {
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

#define RFBENCH_AFFINE(Scalar)                                                                                         \
    template void multiply(const Rows<Scalar>&, const Panels<Scalar>&, const Scalar*, Rows<Scalar>&);                  \
    template void add_outer(const Rows<Scalar>&, const Rows<Scalar>&, Eigen::Map<Rows<Scalar>>);                       \
    template void Affine::forward(const Weights<Scalar>&, const Rows<Scalar>&, Rows<Scalar>&) const;                   \
    template void Affine::backward(const Weights<Scalar>&, const Rows<Scalar>&, const Rows<Scalar>&, Column<Scalar>&,  \
                                   Rows<Scalar>&) const;                                                               \
    template void Affine::backward(const Rows<Scalar>&, const Rows<Scalar>&, Column<Scalar>&) const;
RFBENCH_AFFINE(float)
RFBENCH_AFFINE(double)
#undef RFBENCH_AFFINE

}  // namespace rfbench::networks
