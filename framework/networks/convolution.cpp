#include "rfbench/networks/convolution.hpp"

#include <algorithm>
#include <cstdlib>

namespace rfbench::networks {
namespace {

/// Calls visit(s, to, from, count) for w_s and each sequence: `count` rows of y from `to` on take from those of x from
/// `from` on.
template <class Visit>
void for_shifts(Index tokens, Index ahead, const Starts& starts, Visit visit) {
    for (std::size_t i = 0; i + 1 < starts.size(); ++i)
        for (Index s = 0; s < tokens; ++s) {
            const Index shift = s - ahead, count = starts[i + 1] - starts[i] - std::abs(shift);
            if (count > 0)
                visit(s, starts[i] + std::max<Index>(shift, 0), starts[i] + std::max<Index>(-shift, 0), count);
        }
}

}  // namespace

Convolution::Convolution(Layout& layout, const std::string& name, Index tokens, Index width, Index ahead)
    : weight_(layout.add(name + ".weight", tokens, width)), ahead_(ahead) {}

template <class Scalar>
void Convolution::forward(const Weights<Scalar>& weights, const Starts& starts, const Rows<Scalar>& x,
                          Rows<Scalar>& y) const {
    const auto w = weights[weight_];
    y.setZero(x.rows(), x.cols());
    for_shifts(weight_.rows, ahead_, starts, [&](Index s, Index to, Index from, Index count) {
        for (Index t = 0; t < count; ++t) y.row(to + t) += w.row(s).cwiseProduct(x.row(from + t));
    });
}

template <class Scalar>
void Convolution::backward(const Weights<Scalar>& weights, const Starts& starts, const Rows<Scalar>& x,
                           const Rows<Scalar>& by_y, Column<Scalar>& gradient, Rows<Scalar>& by_x) const {
    const auto w = weights[weight_];
    auto by_w = view(gradient, weight_);
    by_x.setZero(x.rows(), x.cols());
    for_shifts(weight_.rows, ahead_, starts, [&](Index s, Index to, Index from, Index count) {
        for (Index t = 0; t < count; ++t) {
            by_w.row(s) += x.row(from + t).cwiseProduct(by_y.row(to + t));
            by_x.row(from + t) += w.row(s).cwiseProduct(by_y.row(to + t));
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
