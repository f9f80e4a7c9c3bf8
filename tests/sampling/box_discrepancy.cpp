// The box discrepancy against integrals over the box, and as a bound on errors of band-limited functions.
#include "rfbench/sampling/box_discrepancy.hpp"

#include <cmath>
#include <complex>

#include "catch.hpp"
#include "rfbench/random/stream.hpp"
#include "rfbench/sampling/scheme.hpp"

using namespace rfbench;
using namespace rfbench::sampling;

namespace {

Projections points(const char* scheme, Index d, Index count, std::uint64_t seed) {
    Projections omega(d, count);
    find(scheme).normals(Stream(seed), omega);
    return omega;
}

/// In the plane: int over the box of |exp(-|beta|^2 / 2) - mean of exp(i beta.w)|^2, over int of exp(-|beta|^2).
double by_integral(const Projections& omega, double b) {
    constexpr int steps = 300;
    double sum = 0, norm = 0;
    for (int i = 0; i < steps; ++i)
        for (int j = 0; j < steps; ++j) {
            const double u = b * (2 * (i + 0.5) / steps - 1), v = b * (2 * (j + 0.5) / steps - 1);
            std::complex<double> mean = 0;
            for (Index m = 0; m < omega.cols(); ++m)
                mean += std::polar(1.0, u * omega(0, m) + v * omega(1, m)) / static_cast<double>(omega.cols());
            sum += std::norm(std::exp(-0.5 * (u * u + v * v)) - mean);
            norm += std::exp(-(u * u + v * v));
        }
    return sum / norm;
}

}  // namespace

TEST_CASE("The squared box discrepancy is the error of the characteristic function over the box", "[sampling]") {
    for (const double b : {0.5, 2.0})
        for (const char* scheme : {"iid", "sobol"}) {
            INFO(scheme << ", b = " << b);
            const Projections omega = points(scheme, 2, 7, 3);
            // Midpoints err by the square of their step, b / 150, times slopes of the integrand.
            CHECK(box_discrepancy(omega, b).squared == Approx(by_integral(omega, b)).epsilon(1e-3));
        }
    // Equal points: sinc_b at 0.
    Projections twice(2, 2);
    twice << 0.3, 0.3, -1, -1;
    CHECK(box_discrepancy(twice, 1).squared == Approx(box_discrepancy(Projections(twice.col(0)), 1).squared));
}

TEST_CASE("(29) of DiJiang with pi^-d in its first term does not fall with more points (erratum 51)",
          "[sampling][errata]") {
    for (const Index d : {1, 2, 4}) {
        const auto few = box_discrepancy(points("iid", d, 30, 1), 1),
                   many = box_discrepancy(points("iid", d, 3000, 1), 1);
        INFO("d = " << d);
        CHECK(many.squared < 0.25 * few.squared);
        CHECK(many.squared > 0);
        CHECK(many.squared_printed > std::pow(2.0, static_cast<double>(d)) - 1);
    }
}
