#include "rfbench/theory/shallow_network.hpp"

#include <cmath>
#include <stdexcept>

#include "catch.hpp"

using namespace rfbench;
using namespace rfbench::theory;

namespace {

double largest_error(const ShallowNetwork& network, double reach) {
    const Vector at = Vector::LinSpaced(4001, -reach, reach);
    Points difference = network(at);
    difference.col(0) -= at.array().cos().matrix();
    difference.col(1) -= at.array().sin().matrix();
    return difference.rowwise().norm().maxCoeff();
}

Eigen::RowVector2d at(const ShallowNetwork& network, double u) { return network(Vector::Constant(1, u)).row(0); }

}  // namespace

TEST_CASE("Networks of relu interpolate: right at the knots, off by their spacing squared over 8, level beyond",
          "[theory]") {
    const Index hidden = 33;
    const auto network = relu_interpolation(4, hidden);
    CHECK(network.centres.size() == hidden);
    for (Index j = 0; j < hidden; ++j) {
        const double u = network.centres[j];
        CHECK((at(network, u) - Eigen::RowVector2d(std::cos(u), std::sin(u))).norm() < 1e-13);
    }
    // |psi''| = 1.
    const double allowed = 0.25 * 0.25 / 8;
    CHECK(largest_error(network, 4) <= allowed);
    CHECK(largest_error(network, 4) > 0.9 * allowed);
    CHECK((at(network, 1e6) - Eigen::RowVector2d(std::cos(4.0), std::sin(4.0))).norm() < 1e-8);
    CHECK((at(network, -1e6) - Eigen::RowVector2d(std::cos(4.0), -std::sin(4.0))).norm() < 1e-8);

    // Knots 1/4 apart again.
    const auto tapered = tapered_interpolation(3, hidden);
    CHECK(largest_error(tapered, 3) <= allowed);
    for (const double beyond : {4.0, -4.0, 1e6, -1e6}) CHECK(at(tapered, beyond).norm() < 1e-8);
    CHECK((at(tapered, 3.5) - 0.5 * Eigen::RowVector2d(std::cos(3.0), std::sin(3.0))).norm() < 1e-13);
}

TEST_CASE("Steps of sigmoids come closer with the square of their width within, and are bounded", "[theory]") {
    // The logistic law has variance pi^2 / 3: a step that wide is off by half of that, times width squared.
    for (const Index hidden : {40, 80, 160}) {
        const double width = 20.0 / static_cast<double>(hidden);
        const double expected = M_PI * M_PI / 6 * width * width;
        CHECK(largest_error(sigmoid_steps(10, hidden), 2) == Approx(expected).epsilon(0.3));
    }
    const auto network = sigmoid_steps(10, 40);
    CHECK((at(network, -1e3) - Eigen::RowVector2d(std::cos(10.0), -std::sin(10.0))).norm() < 1e-13);
    CHECK((at(network, 1e3) - Eigen::RowVector2d(std::cos(10.0), std::sin(10.0))).norm() < 1e-13);
}

TEST_CASE("A clip is an identity and two relu units, the step of Proposition 5", "[theory]") {
    const auto relu = [](double u) { return std::max(u, 0.0); };
    for (double u = -3; u <= 3; u += 0.125) CHECK(u - relu(u - 1.5) + relu(-u - 1.5) == std::clamp(u, -1.5, 1.5));
}

TEST_CASE("Kernels of channels are their integrals over the plane", "[theory]") {
    const NormalNodes nodes;
    CHECK(nodes.mean(nodes.nodes().array().pow(4)) == Approx(3).epsilon(1e-12));
    const double x = 1.7, y = 0.9;
    const auto channels = [&](double norm) {
        Points values(nodes.nodes().size(), 2);
        values << (norm * nodes.nodes().array()).cos(), (norm * nodes.nodes().array()).sin();
        return nodes.channels(values);
    };
    // (cos, sin): the Gaussian kernel, that of negative coordinates too.
    for (const double cosine : {1.0, 0.8, 0.3, 0.0, -0.6, -1.0})
        CHECK(nodes.product(channels(x), channels(y), cosine) ==
              Approx(std::exp(-0.5 * (x * x + y * y - 2 * x * y * cosine))).epsilon(1e-8).margin(1e-9));
    CHECK_THROWS_AS(nodes.product(channels(x), channels(y), 0.9), std::invalid_argument);

    // A network, by a plain sum over both coordinates.
    const auto network = relu_interpolation(3, 6);
    const double cosine = 0.6;
    double sum = 0, mass = 0;
    const Vector line = Vector::LinSpaced(801, -8, 8);
    for (const double u : line) {
        const Points first = network(Vector::Constant(1, x * u));
        const Points second = network(y * (cosine * u + 0.8 * line.array()).matrix());
        const Vector weight = (-0.5 * (u * u + line.array().square())).exp();
        sum += weight.dot(Vector(second * first.row(0).transpose()));
        mass += weight.sum();
    }
    // Corners err by the step squared.
    CHECK(nodes.product(nodes.channels(network(x * nodes.nodes())), nodes.channels(network(y * nodes.nodes())),
                        cosine) == Approx(sum / mass).margin(1e-4));
}

TEST_CASE("Networks without units or reach are refused", "[theory]") {
    CHECK_THROWS_AS(relu_interpolation(0, 5), std::invalid_argument);
    CHECK_THROWS_AS(sigmoid_steps(1, 1), std::invalid_argument);
    CHECK_THROWS_AS(tapered_interpolation(1, 0), std::invalid_argument);
}
