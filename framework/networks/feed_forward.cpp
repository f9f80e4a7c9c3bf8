#include "rfbench/networks/feed_forward.hpp"

#include <cmath>

#include "rfbench/features/maps/exponentials.hpp"
#include "rfbench/features/maps/nonlinearity.hpp"
#include "rfbench/parallel/loop.hpp"

namespace rfbench::networks {
namespace {

using parallel::Loop;
using parallel::Share;
using parallel::threads_if;

/// With u = sqrt(2 / pi) (z + 0.044715 z^3), (1 + tanh u) / 2 is s = 1 / (1 + exp(-2 u)): gelu = z s, and its
/// derivative s + 2 z u' s (1 - s).
template <class Scalar>
void by_tanh(Eigen::Ref<Eigen::Array<Scalar, 1, Eigen::Dynamic>> z,
             Eigen::Ref<Eigen::Array<Scalar, 1, Eigen::Dynamic>> slope) {
    const Scalar twice = static_cast<Scalar>(-2 * std::sqrt(2 / M_PI)), cubic = static_cast<Scalar>(0.044715);
    // exp(-2u) overflows float if -2u is above 88, where s is below 1e-38.
    slope = (twice * z * (1 + cubic * z.square())).min(Scalar(88));
    features::exponentiate(slope, 0, slope);
    slope = 1 / (1 + slope);
    const auto by_u = -twice * (1 + 3 * cubic * z.square());
    const Eigen::Array<Scalar, 1, Eigen::Dynamic> gelu = z * slope;
    slope += gelu * by_u * (1 - slope);
    z = gelu;
}

}  // namespace

template <class Scalar>
void apply_gelu(Gelu kind, Rows<Scalar>& z, Rows<Scalar>& slope) {
    const features::Nonlinearity& exact = features::nonlinearity("gelu");
    slope.resize(z.rows(), z.cols());
    Loop(z.rows(), Share::evenly, threads_if(z.size() > 65536)).run([&](Index i) {
        if (kind == Gelu::by_tanh) {
            by_tanh<Scalar>(z.row(i).array(), slope.row(i).array());
            return;
        }
        // The slope first: z is then overwritten.
        exact.slope(z.row(i).array(), slope.row(i).array());
        exact.apply(z.row(i).array(), z.row(i).array());
    });
}

FeedForward::FeedForward(Layout& layout, const std::string& name, Index width, Index inner, Gelu gelu, Bias bias)
    : widen_(layout, name + ".c_fc", width, inner, bias),
      narrow_(layout, name + ".c_proj", inner, width, bias),
      gelu_(gelu) {}

template <class Scalar>
void FeedForward::forward(const Weights<Scalar>& weights, const Rows<Scalar>& x, Pass<Scalar>& pass,
                          Rows<Scalar>& y) const {
    widen_.forward(weights, x, pass.inner);
    apply_gelu(gelu_, pass.inner, pass.slope);
    narrow_.forward(weights, pass.inner, y);
}

template <class Scalar>
void FeedForward::backward(const Weights<Scalar>& weights, const Rows<Scalar>& x, Pass<Scalar>& pass,
                           const Rows<Scalar>& by_y, Column<Scalar>& gradient, Rows<Scalar>& by_x) const {
    // The gradient of gelu(z) takes the place of gelu(z), which is not needed any more.
    narrow_.backward(pass.inner, by_y, gradient);
    multiply<Scalar>(by_y, weights.transposed(narrow_.weight()), nullptr, pass.inner);
    pass.inner.array() *= pass.slope.array();
    widen_.backward(weights, x, pass.inner, gradient, by_x);
}

template void apply_gelu(Gelu, Rows<float>&, Rows<float>&);
template void FeedForward::forward(const Weights<float>&, const Rows<float>&, Pass<float>&, Rows<float>&) const;
template void FeedForward::backward(const Weights<float>&, const Rows<float>&, Pass<float>&, const Rows<float>&,
                                    Column<float>&, Rows<float>&) const;
template void apply_gelu(Gelu, Rows<double>&, Rows<double>&);
template void FeedForward::forward(const Weights<double>&, const Rows<double>&, Pass<double>&, Rows<double>&) const;
template void FeedForward::backward(const Weights<double>&, const Rows<double>&, Pass<double>&, const Rows<double>&,
                                    Column<double>&, Rows<double>&) const;

}  // namespace rfbench::networks
