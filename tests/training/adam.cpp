#include "rfbench/training/adam.hpp"

#include <cmath>

#include "catch.hpp"

using namespace rfbench;
using namespace rfbench::training;

TEST_CASE("Adam: three steps by hand") {
    // With constant gradients m^ = g and v^ = g^2 at every step: each step is rate * sign(g), but for epsilon.
    Adam adam(2);
    Vector at{{1.0, -2.0}};
    for (int step = 0; step < 3; ++step) adam.step(Vector{{4.0, -0.25}}, 0.1, at);
    CHECK(at[0] == Approx(1 - 0.3).epsilon(1e-7));
    CHECK(at[1] == Approx(-2 + 0.3).epsilon(1e-7));

    // Gradients 1 and 3: m = .9 * .1 + .3, v = .999 * .001 + .009, divided by 1 - .81 and 1 - .998001.
    Adam other(1);
    Vector x = Vector::Zero(1);
    other.step(Vector::Constant(1, 1.0), 0, x);
    other.step(Vector::Constant(1, 3.0), 1, x);
    CHECK(x[0] == Approx(-(0.39 / 0.19) / (std::sqrt(0.009999 / 0.001999) + 1e-8)).epsilon(1e-12));
}

TEST_CASE("Adam comes to the minimum of a quadratic whose curvatures differ by 1e6") {
    const Vector curvature{{1e-3, 1.0, 1e3}}, minimum{{1.0, -2.0, 3.0}};
    Vector at = Vector::Zero(3);
    Adam adam(3);
    for (int step = 0; step < 2000; ++step)
        adam.step(curvature.cwiseProduct(at - minimum), cosine_rate(0.05, step, 2000), at);
    CHECK((at - minimum).cwiseAbs().maxCoeff() < 1e-3);
}

TEST_CASE("Adam refuses vectors of another size; the cosine rate falls from the whole to nothing") {
    Adam adam(2);
    Vector at = Vector::Zero(3);
    CHECK_THROWS_WITH(adam.step(Vector::Zero(3), 0.1, at), "Adam: 3 parameters and a gradient of 3; it was made for 2");
    CHECK(cosine_rate(0.2, 0, 10) == 0.2);
    CHECK(cosine_rate(0.2, 5, 10) == Approx(0.1));
    CHECK(cosine_rate(0.2, 10, 10) == Approx(0).margin(1e-17));
}
