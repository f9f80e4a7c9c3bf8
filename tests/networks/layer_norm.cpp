#include "rfbench/networks/layer_norm.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "support/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::networks;
using namespace rfbench::tests;

namespace {

constexpr Index width = 7;

/// Rows by a norm in float whose scales and shifts are 1 / 2 and 3.
struct Normed {
    Layout layout;
    LayerNorm norm;
    Weights<float> weights;
    LayerNorm::Pass<float> pass;
    Rows<float> y, by_x;
    Column<float> gradient;

    Normed(const Rows<float>& x, double epsilon)
        : norm(layout, "norm", width, epsilon), weights(layout, values(), Passes::both) {
        norm.forward(weights, x, pass, y);
        gradient.setZero(layout.size());
        const Rows<float> by_y = normal_points(x.rows(), width, Stream(2)).cast<float>();
        norm.backward(weights, pass, by_y, gradient, by_x);
    }

private:
    Column<float> values() const {
        Column<float> all = Column<float>::Constant(layout.size(), 3);
        view(all, norm.scale()).setConstant(0.5);
        return all;
    }
};

}  // namespace

TEST_CASE(
    "rows whose squares a float does not hold are normed as smaller ones, and their gradients are as much smaller") {
    const Rows<float> x = normal_points(4, width, Stream(1)).cast<float>();
    // A power of two, by which nothing is rounded: squares are 2^150 and more.
    const float factor = std::ldexp(1.0F, 75);
    const Normed small(x, 0);
    for (const double epsilon : {0.0, 1e-5}) {
        const Normed large(factor * x, epsilon);
        // Some roundings of numbers of a few units.
        const float unit = std::numeric_limits<float>::epsilon();
        CHECK((large.y - small.y).cwiseAbs().maxCoeff() < 20 * unit);
        CHECK((factor * large.by_x - small.by_x).cwiseAbs().maxCoeff() <
              20 * unit * (1 + small.by_x.cwiseAbs().maxCoeff()));
        CHECK((large.gradient - small.gradient).cwiseAbs().maxCoeff() <
              20 * unit * (1 + small.gradient.cwiseAbs().maxCoeff()));
    }
    // Equal entries become the shift, though rounding leaves something of them whose squares are as large.
    Rows<float> equal(32, width);
    for (Index i = 0; i < equal.rows(); ++i) equal.row(i).setConstant(1e30F / static_cast<float>(i + 3));
    for (const double epsilon : {0.0, 1e-5}) CHECK((Normed(equal, epsilon).y.array() == 3).all());
}
