#include "rfbench/networks/convolution.hpp"

#include <algorithm>

namespace rfbench::networks {
namespace {

/// Calls visit(s, first, count) for w_s and each sequence: rows first + s, ... of y take from rows first, ... of x.
template <class Visit>
void for_shifts(Index tokens, const Starts& starts, Visit visit) {
    for (std::size_t i = 0; i + 1 < starts.size(); ++i)
        for (Index s = 0; s < std::min(tokens, starts[i + 1] - starts[i]); ++s)
            visit(s, starts[i], starts[i + 1] - starts[i] - s);
}

}  // namespace

Convolution::Convolution(Layout& layout, const std::string& name, Index tokens, Index width)
    : weight_(layout.add(name + ".weight", tokens, width)) {}

template <class Scalar>
void Convolution::forward(const Weights<Scalar>& weights, const Starts& starts, const Rows<Scalar>& x,
                          Rows<Scalar>& y) const {
    const auto w = weights[weight_];
    y.setZero(x.rows(), x.cols());
    for_shifts(weight_.rows, starts, [&](Index s, Index first, Index count) {
        for (Index t = first; t < first + count; ++t) y.row(t + s) += w.row(s).cwiseProduct(x.row(t));
    });
}

template <class Scalar>
void Convolution::backward(const Weights<Scalar>& weights, const Starts& starts, const Rows<Scalar>& x,
                           const Rows<Scalar>& by_y, Column<Scalar>& gradient, Rows<Scalar>& by_x) const {
    const auto w = weights[weight_];
    auto by_w = view(gradient, weight_);
    by_x.setZero(x.rows(), x.cols());
    for_shifts(weight_.rows, starts, [&](Index s, Index first, Index count) {
        for (Index t = first; t < first + count; ++t) {
            by_w.row(s) += x.row(t).cwiseProduct(by_y.row(t + s));
            by_x.row(t) += w.row(s).cwiseProduct(by_y.row(t + s));
        }
    });
}

template void Convolution::forward(const Weights<float>&, const Starts&, const Rows<float>&, Rows<float>&) const;
template void Convolution::backward(const Weights<float>&, const Starts&, const Rows<float>&, const Rows<float>&,
                                    Column<float>&, Rows<float>&) const;
template void Convolution::forward(const Weights<double>&, const Starts&, const Rows<double>&, Rows<double>&) const;
template void Convolution::backward(const Weights<double>&, const Starts&, const Rows<double>&, const Rows<double>&,
                                    Column<double>&, Rows<double>&) const;

}  // namespace rfbench::networks
