#include "rfbench/networks/convolution.hpp"

#include "rfbench/networks/transformer.hpp"
#include "support/gradients.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::networks;
using namespace rfbench::tests;

namespace {

TransformerShape convolved() {
    TransformerShape shape;
    shape.vocabulary = shape.outputs = 5;
    shape.positions = 7;
    shape.convolution = 3;
    shape.layers = 1;
    shape.heads = 2;
    shape.width = 6;
    shape.inner = 7;
    return shape;
}

}  // namespace

TEMPLATE_TEST_CASE("a convolution sums over the tokens before, of its own sequence alone", "", double, float) {
    const Index width = 3;
    Layout layout;
    layout.add("other", 2, 2);
    const Convolution convolution(layout, "conv", 4, width);
    CHECK(layout.find("conv.weight").rows == 4);
    CHECK(layout.find("conv.weight").columns == width);
    const Vector values = normal_vector(layout.size(), Stream(1));
    const Weights<TestType> weights(layout, values.cast<TestType>(), Passes::both);
    // Sequences that are longer and shorter than the convolution.
    const Starts starts{0, 6, 7, 9};
    const Points x = normal_points(9, width, Stream(2));
    Rows<TestType> y;
    convolution.forward(weights, starts, Rows<TestType>(x.cast<TestType>()), y);
    REQUIRE(y.rows() == 9);
    // Four products and sums of numbers of order one.
    const double tolerance = 40 * static_cast<double>(std::numeric_limits<TestType>::epsilon());
    for (std::size_t i = 0; i + 1 < starts.size(); ++i)
        for (Index t = starts[i]; t < starts[i + 1]; ++t)
            for (Index c = 0; c < width; ++c) {
                double sum = 0;
                for (Index s = 0; s < 4 && t - s >= starts[i]; ++s) sum += values[4 + s * width + c] * x(t - s, c);
                CHECK(std::abs(static_cast<double>(y(t, c)) - sum) < tolerance);
            }
}

TEST_CASE("gradients through a convolution are those of finite differences") {
    Layout layout;
    const Convolution convolution(layout, "conv", 3, 2);
    const Starts starts{0, 4, 6};
    const Points x = normal_points(6, 2, Stream(3)), by_y = normal_points(6, 2, Stream(4));
    const Vector at = normal_vector(layout.size(), Stream(5));
    const auto loss = [&](const Vector& values, const Points& in) {
        Points y;
        convolution.forward(Weights<double>(layout, values, Passes::both), starts, in, y);
        return y.cwiseProduct(by_y).sum();
    };
    Vector gradient = Vector::Zero(layout.size());
    Points by_x;
    convolution.backward(Weights<double>(layout, at, Passes::both), starts, x, by_y, gradient, by_x);
    check_gradient([&](const Vector& values) { return loss(values, x); }, at, gradient);
    check_gradient([&](const Vector& in) { return loss(at, in.reshaped<Eigen::RowMajor>(6, 2)); },
                   x.reshaped<Eigen::RowMajor>(), by_x.reshaped<Eigen::RowMajor>());
}

TEST_CASE("a network with a convolution sees no later token, and begins with weights of its own") {
    const TransformerShape shape = convolved();
    const Transformer network(shape);
    const Vector values = network.start({.embedding = 0.5}, Stream(6));
    const auto w = view(values, network.layout().find("conv.weight"));
    CHECK(w.rows() == 3);
    CHECK((w.array() != 0).all());
    CHECK((network.start({.gain = 2, .embedding = 0.5}, Stream(6)).segment(5 * 6 + 7 * 6, 18) ==
           2 * values.segment(5 * 6 + 7 * 6, 18)));
    const Weights<double> weights(network.layout(), values, Passes::both);
    Sequence<double> sequence{.tokens = {0, 1, 2, 3, 4, 3, 2}};
    const Points before = network.outputs(weights, sequence);
    for (std::size_t t = 0; t < 7; ++t) {
        Sequence<double> changed = sequence;
        changed.tokens[t] = (changed.tokens[t] + 1) % 5;
        const Points after = network.outputs(weights, changed);
        const auto row = static_cast<Index>(t);
        CHECK((after.topRows(row).array() == before.topRows(row).array()).all());
        CHECK(after.row(row) != before.row(row));
    }
    // Gradients of the table go through it.
    sequence.targets = {{3, 1}, {6, 2}};
    const std::vector<Sequence<double>> batch{sequence, {.tokens = {4, 0}, .targets = {{1, 3}}}};
    Workspace<double> work;
    Vector gradient;
    network.gradient<double>(weights, batch, work, gradient);
    check_gradient(
        [&](const Vector& at) {
            const Weights<double> own(network.layout(), at, Passes::forward);
            return network.evaluate<double>(own, batch, work).loss.sum / 3;
        },
        values, gradient);
    TransformerShape other = shape;
    other.convolution = -1;
    CHECK(refusal([&] { Transformer{other}; }) == "network: convolution is -1; at least 0, which is none, is needed");
}
