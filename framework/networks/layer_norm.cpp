#include "rfbench/networks/layer_norm.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace rfbench::networks {

LayerNorm::LayerNorm(Layout& layout, const std::string& name, Index width, double epsilon)
    : scale_(layout.add(name + ".weight", 1, width)), shift_(layout.add(name + ".bias", 1, width)), epsilon_(epsilon) {
    if (!(epsilon >= 0) || !std::isfinite(epsilon))
        throw std::invalid_argument("network: epsilon of " + name + " is " + std::to_string(epsilon) +
                                    "; it must be finite and not negative");
}

template <class Scalar>
void LayerNorm::forward(const Weights<Scalar>& weights, const Rows<Scalar>& x, Pass<Scalar>& pass,
                        Rows<Scalar>& y) const {
    const auto scale = weights[scale_], shift = weights[shift_];
    pass.normal.resize(x.rows(), x.cols());
    pass.factors.resize(x.rows());
    y.resize(x.rows(), x.cols());
    for (Index i = 0; i < x.rows(); ++i) {
        // In two passes: mean x^2 - (mean x)^2 would cancel in rows that are far from zero.
        auto normal = pass.normal.row(i);
        normal = x.row(i).array() - x.row(i).mean();
        Scalar variance = normal.squaredNorm() / static_cast<Scalar>(x.cols()) + static_cast<Scalar>(epsilon_);
        // Squares beyond the range of Scalar: the row over its largest entry has the same normal form, and epsilon is
        // negligible.
        const bool large = !(variance <= std::numeric_limits<Scalar>::max());
        const Scalar unit = large ? normal.cwiseAbs().maxCoeff() : Scalar(1);
        if (large) {
            normal /= unit;
            variance = normal.squaredNorm() / static_cast<Scalar>(x.cols());
        }
        // Without an epsilon, the rounding of equal entries must not be scaled up.
        const Scalar rounding = epsilon_ > 0 && !large
                                    ? Scalar(0)
                                    : static_cast<Scalar>(x.cols()) * std::numeric_limits<Scalar>::epsilon() *
                                          (x.row(i).cwiseAbs().maxCoeff() / unit);
        const Scalar factor = variance > rounding * rounding ? 1 / std::sqrt(variance) : Scalar(0);
        normal *= factor;
        pass.factors[i] = factor / unit;
        y.row(i) = normal.cwiseProduct(scale) + shift;
    }
}

template <class Scalar>
void LayerNorm::backward(const Weights<Scalar>& weights, const Pass<Scalar>& pass, const Rows<Scalar>& by_y,
                         Column<Scalar>& gradient, Rows<Scalar>& by_x) const {
    const auto scale = weights[scale_];
    auto by_scale = view(gradient, scale_), by_shift = view(gradient, shift_);
    const Scalar share = 1 / static_cast<Scalar>(by_y.cols());
    by_x.resize(by_y.rows(), by_y.cols());
    for (Index i = 0; i < by_y.rows(); ++i) {
        // A change of x acts as what is left of it across the mean and along the row itself.
        const auto normal = pass.normal.row(i);
        by_scale += by_y.row(i).cwiseProduct(normal);
        by_shift += by_y.row(i);
        by_x.row(i) = by_y.row(i).cwiseProduct(scale);
        const Scalar mean = by_x.row(i).mean(), along = by_x.row(i).dot(normal) * share;
        by_x.row(i) = pass.factors[i] * (by_x.row(i).array() - mean - along * normal.array());
    }
}

template void LayerNorm::forward(const Weights<float>&, const Rows<float>&, Pass<float>&, Rows<float>&) const;
template void LayerNorm::backward(const Weights<float>&, const Pass<float>&, const Rows<float>&, Column<float>&,
                                  Rows<float>&) const;
template void LayerNorm::forward(const Weights<double>&, const Rows<double>&, Pass<double>&, Rows<double>&) const;
template void LayerNorm::backward(const Weights<double>&, const Pass<double>&, const Rows<double>&, Column<double>&,
                                  Rows<double>&) const;

}  // namespace rfbench::networks
