// Bounds on boxes of complex A against values within them, and proofs that must fail.
#include "rfbench/features/mechanisms/complex_certificate.hpp"

#include <cmath>

#include "catch.hpp"
#include "rfbench/features/mechanisms/generalized_exponential_optimum.hpp"
#include "rfbench/features/mechanisms/generalized_exponential_variance.hpp"
#include "rfbench/random/stream.hpp"

using namespace rfbench;
using namespace rfbench::features;

namespace {

/// E Z^2 / K^2 at one A.
double second_moment(double xi, double theta, double t, double q, Index d) {
    const std::complex<double> left = std::exp(xi) * std::complex<double>(1, -std::tan(theta));
    return 1 + std::exp(GeneralizedExponentialVariance((1.0 - left) / 8.0, t, d).log_relative(q));
}

}  // namespace

TEST_CASE("The bound on a box of complex A is below every value in it, and tight for a small one", "[features][gerf]") {
    std::size_t tight = 0;
    for (const double t : {1.0, -1.0})
        for (const double q : {0.02, 1.0, 30.0})
            for (const Index d : {1, 2, 16})
                for (double xi = -3; xi < 3; xi += 0.7)
                    for (double theta = 0; theta < 1.5; theta += 0.19)
                        for (const double width : {0.5, 1e-4}) {
                            const ParameterBox box{xi, xi + width, theta, std::min(theta + width, M_PI_2)};
                            const double bound = min_second_moment(box, t, q, d);
                            INFO("t = " << t << ", q = " << q << ", d = " << d << ", xi = " << xi
                                        << ", theta = " << theta << ", width " << width);
                            double least = HUGE_VAL;
                            for (int i = 0; i <= 8; ++i)
                                for (int j = 0; j <= 8; ++j) {
                                    const double there = second_moment(
                                        xi + width * i / 8, theta + (box.max_theta - theta) * 0.999 * j / 8, t, q, d);
                                    if (std::isfinite(there)) least = std::min(least, there);
                                }
                            CHECK(bound <= least * (1 + 1e-9));
                            // Bounds on a box of this width are off by its width times slopes of d and q.
                            if (width < 0.1 && std::isfinite(least)) tight += bound >= least * (1 - 0.05) - 1e-9;
                        }
    CHECK(tight > 700);
}

TEST_CASE("No complex A is better by a tenth at some pairs, and what is false is not proved", "[features][gerf]") {
    for (const Index d : {1, 8})
        for (const double q : {0.1, 4.0})
            for (const double t : {1.0, -1.0}) {
                INFO("d = " << d << ", q = " << q << ", t = " << t);
                const double real = real_optimum(t, q, d).log_relative;
                CHECK(certify_least_variance(t, q, d, real - 0.1, 1000000).proved);
                CHECK(!certify_least_variance(t, q, d, real + 0.01, 20000).proved);
            }
}
