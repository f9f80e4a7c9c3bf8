#include <algorithm>
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "rfbench/features/maps/channels.hpp"
#include "support/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::features;
using namespace rfbench::tests;

namespace {

template <class Scalar>
using Row = Eigen::Array<Scalar, 1, Eigen::Dynamic>;

/// A gradient, and how large the terms are of which each entry is the sum.
struct Sums {
    Vector value, size;

    explicit Sums(Index entries) : value(Vector::Zero(entries)), size(value) {}
    void add(Index place, double term) {
        value[place] += term;
        size[place] += std::abs(term);
    }
};

/// Whether `own` is a sum of these terms in Scalar: each passes through fewer than 4 operations, and is added to at
/// most as many as there are inputs and units.
template <class Scalar>
bool is_sum(const Vector& own, const Sums& expected, Index terms) {
    const double bound = static_cast<double>(terms + 4) * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
    return ((own - expected.value).array().abs() <= bound * expected.size.array()).all();
}

template <class Scalar>
void check_gradients(Index inputs) {
    const Index channels = 3, hidden = 5, size = 3 * hidden + 1;
    const auto networks = network_channels({channels, hidden, "relu", "elu+1"});
    const Vector p = normal_vector(networks->parameters(), Stream(1)).template cast<float>().template cast<double>();
    Row<Scalar> u = normal_points(1, inputs, Stream(2)).row(0).template cast<Scalar>().array(), to_inputs(inputs);
    const Rows<Scalar> gradient = normal_points(inputs, channels, Stream(3)).template cast<Scalar>();

    Sums of_parameters(p.size()), of_inputs(inputs);
    for (Index i = 0; i < inputs; ++i)
        for (Index l = 0; l < channels; ++l) {
            const double g = static_cast<double>(gradient(i, l)), x = static_cast<double>(u[i]);
            for (Index h = 0; h < hidden; ++h) {
                const Index s = l * size + h, t = s + hidden, a = t + hidden;
                // Beside a kink rounding decides which side it is.
                const double z = p[s] * x + p[t];
                REQUIRE(std::abs(z) > 4 * static_cast<double>(std::numeric_limits<Scalar>::epsilon()) *
                                          (std::abs(p[s] * x) + std::abs(p[t])));
                if (z < 0) continue;
                of_parameters.add(s, g * p[a] * x);
                of_parameters.add(t, g * p[a]);
                of_parameters.add(a, g * p[s] * x);
                of_parameters.add(a, g * p[t]);
                of_inputs.add(i, g * p[a] * p[s]);
            }
            of_parameters.add(l * size + 3 * hidden, g);
        }

    Vector by = Vector::Zero(p.size());
    networks->pullback(p, u, gradient, by, 0, to_inputs);
    CHECK(is_sum<Scalar>(by, of_parameters, inputs));
    CHECK(is_sum<Scalar>(to_inputs.matrix().transpose().template cast<double>(), of_inputs, channels * hidden));
    // Without parameters' gradients those of the inputs are the same.
    Row<Scalar> alone(inputs);
    Vector none;
    networks->pullback(p, u, gradient, none, 0, alone);
    CHECK((alone == to_inputs).all());
}

}  // namespace

TEST_CASE("gradients of networks of relu units are sums over the inputs above zero, for any number of inputs") {
    for (const Index inputs : {1, 7, 16, 100, 256, 300}) {
        check_gradients<double>(inputs);
        check_gradients<float>(inputs);
    }
}

TEST_CASE("a relu unit whose argument overflows below zero has no gradient") {
    const auto networks = network_channels({1, 1, "relu", "elu+1"});
    Vector p(4), by = Vector::Zero(4);
    p << 2, 0, 3, 1;
    Row<float> u = Row<float>::Constant(1, std::numeric_limits<float>::lowest()), to_inputs(1);
    networks->pullback(p, u, Rows<float>::Constant(1, 1, 1.F), by, 0, to_inputs);
    CHECK(by == Vector::Unit(4, 3));
    CHECK(to_inputs[0] == 0);
}
