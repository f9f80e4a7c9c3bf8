#pragma once
#include <cmath>

#include "catch.hpp"
#include "rfbench/random/stream.hpp"
#include "support/normal_points.hpp"

namespace rfbench::tests {

/// Checks that `gradient` is that of `loss` at `at`, along every coordinate and one direction in all, by central
/// differences at steps h and 2h (Richardson): h^4 of a fifth derivative and rounding of the loss over h, each below
/// 1e-9 of the loss and the gradient where derivatives are of order one.
template <class Loss>
void check_gradient(Loss loss, const Vector& at, const Vector& gradient) {
    REQUIRE(gradient.size() == at.size());
    const double h = 1e-3, tolerance = 1e-8 * (1 + std::abs(loss(at)) + gradient.cwiseAbs().sum());
    const auto along = [&](const Vector& direction) {
        const auto value = [&](double step) { return loss(at + step * direction); };
        return (8 * (value(h) - value(-h)) - (value(2 * h) - value(-2 * h))) / (12 * h);
    };
    for (Index i = 0; i < at.size(); ++i) {
        INFO("coordinate " << i << " of " << at.size());
        CHECK(std::abs(along(Vector::Unit(at.size(), i)) - gradient[i]) <= tolerance);
    }
    const Vector all = normal_vector(at.size(), Stream(77)).normalized();
    CHECK(std::abs(along(all) - all.dot(gradient)) <= tolerance);
}

}  // namespace rfbench::tests
