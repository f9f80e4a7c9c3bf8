// The bounds on lower tails, and the multiplicative one on upper tails, against probabilities that are known exactly.
#include "rfbench/theory/lower_tail.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "catch.hpp"

using namespace rfbench;
using namespace rfbench::theory;

namespace {

/// Mean of f over one angle, or over two that are independent.
template <class F>
double over_angle(F f) {
    constexpr int steps = 4000;
    double sum = 0;
    for (int i = 0; i < steps; ++i) sum += f(2 * M_PI * (i + 0.5) / steps);
    return sum / steps;
}

/// log of exp(theta M (mu - t)) (1 - theta mu + theta^2 E Z^2 / 2)^M at the best of many theta; mu = 1, t: share.
double sharper_by_trial(double m, double share, double ratio) {
    double best = 0;
    for (double theta = 1e-10; theta < 20; theta *= 1.001)
        best = std::min(best, m * (theta * (1 - share) + std::log(1 - theta + theta * theta / (2 * ratio))));
    return best;
}

}  // namespace

TEST_CASE("The lower tail's bound holds for draws of 0 and 1, and not with twice its exponent", "[theory]") {
    double largest = 0;
    for (const double p : {0.01, 0.05, 0.3, 0.9})
        for (const Index count : {1, 10, 400})
            for (double share = 0.05; share < 1; share += 0.05) {
                INFO("p = " << p << ", M = " << count << ", t / E Z = " << share);
                const double m = static_cast<double>(count);
                // E Z^2 = p: the ratio is p.
                const double exact = boost::math::cdf(boost::math::binomial(m, p), std::floor(m * p * (1 - share)));
                const double bound = log_lower_tail(count, share, std::log(p));
                CHECK(std::log(exact) <= bound);
                CHECK(std::log(exact) <= log_lower_tail_sharper(count, share, std::log(p)));
                CHECK(log_lower_tail_sharper(count, share, std::log(p)) <= bound);
                largest = std::max(largest, std::log(exact) - 2 * bound);
            }
    CHECK(largest > 0.4);
}

TEST_CASE("The sharper lower tail is the least over theta", "[theory]") {
    for (const double ratio : {1e-6, 0.2, 0.9, 1.0})
        for (const double share : {0.01, 0.5, 0.999}) {
            INFO("ratio " << ratio << ", share " << share);
            // Trials are a thousandth apart, near a minimum.
            CHECK(log_lower_tail_sharper(7, share, std::log(ratio)) ==
                  Approx(sharper_by_trial(7, share, ratio)).epsilon(1e-5));
        }
    // E Z^2 beyond double's range: nothing is promised.
    CHECK(log_lower_tail(7, 0.5, -1600) == 0);
    CHECK(log_lower_tail_sharper(7, 0.5, -1600) == 0);
}

TEST_CASE("Two orthogonal directions in the plane obey the lower tail of independent ones", "[theory]") {
    // Z = exp(b cos(angle)), and exp(b sin(angle)) of the direction at right angles: all is an integral over an angle.
    for (const double b : {0.1, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0}) {
        const double mean = over_angle([&](double angle) { return std::exp(b * std::cos(angle)); });
        const double square = over_angle([&](double angle) { return std::exp(2 * b * std::cos(angle)); });
        for (double share = 0.02; share < 1; share += 0.07) {
            INFO("b = " << b << ", t / E Z = " << share);
            const double exact = over_angle([&](double angle) {
                const double both = std::exp(b * std::cos(angle)) + std::exp(b * std::sin(angle));
                return both <= 2 * mean * (1 - share) ? 1.0 : 0.0;
            });
            CHECK(exact <= std::exp(log_lower_tail_sharper(2, share, std::log(mean * mean / square))));
        }
        // The step that was in doubt: E exp(-theta (Z_1 + Z_2)) is below the square of E (1 - theta Z + theta^2 Z^2/2).
        for (double theta = 1e-3; theta < 30; theta *= 1.5) {
            INFO("b = " << b << ", theta = " << theta);
            const double coupled = over_angle([&](double angle) {
                return std::exp(-theta * (std::exp(b * std::cos(angle)) + std::exp(b * std::sin(angle))));
            });
            CHECK(coupled <= std::pow(1 - theta * mean + theta * theta * square / 2, 2));
        }
    }
}

TEST_CASE("The multiplicative upper tail holds for draws of 0 and 1, and not with half as much again", "[theory]") {
    double largest = 0;
    for (const double p : {0.01, 0.05, 0.3})
        for (const Index count : {1, 10, 400})
            for (double delta = 0.1; (1 + delta) * p < 1; delta += 0.3) {
                INFO("p = " << p << ", M = " << count << ", delta = " << delta);
                const double m = static_cast<double>(count);
                const double least = std::ceil(m * p * (1 + delta) * (1 - 1e-12));
                const double exact = boost::math::cdf(complement(boost::math::binomial(m, p), least - 1));
                const double bound = log_multiplicative_upper_tail(count, delta, std::log(p));
                CHECK(std::log(exact) <= bound);
                largest = std::max(largest, std::log(exact) - 1.5 * bound);
            }
    CHECK(largest > 0);
}
