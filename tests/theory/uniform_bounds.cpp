#include "rfbench/theory/uniform_bounds.hpp"

#include <cmath>

#include "catch.hpp"

using namespace rfbench;
using namespace rfbench::theory;

TEST_CASE("The number of features by Theorem 2 is where its bound falls to the probability", "[theory]") {
    for (const Index d : {2, 16, 64}) {
        const double features = features_by_theorem_2(d, 1.5, 0.2, 0.1);
        const Index below = static_cast<Index>(std::floor(features)), above = below + 1;
        CHECK(log_theorem_2(d, below, 1.5, 0.2) >= std::log(0.1));
        CHECK(log_theorem_2(d, above, 1.5, 0.2) <= std::log(0.1));
    }
    CHECK(std::exp(log_theorem_2(6, 0, 2, 0.5)) == Approx(1024.0 * 6 * 16));
}

TEST_CASE("Theorem 4 as printed grows too slowly with the radius for a single entry", "[theory][errata]") {
    // Q orthogonal to K, |Q|^2 = |K|^2 = u sqrt(d): Var A^ = exp(2u) (1 - exp(-2u))^2 / (2M) with A = 1.
    const Index d = 16;
    const double error = 0.1;
    const auto needed = [&](double u) {
        return std::exp(2 * u) * std::pow(1 - std::exp(-2 * u), 2) / (2 * error * error);
    };
    CHECK(needed(6) == Approx(8.1e6).epsilon(0.01));
    const double small = std::sqrt(2 * std::sqrt(16.0)), large = std::sqrt(10 * std::sqrt(16.0));
    const double growth = needed(10) / needed(2);
    CHECK(order_of_theorem_4_printed(d, large, error) / order_of_theorem_4_printed(d, small, error) < 0.01 * growth);
    CHECK(order_of_theorem_4(d, large, error) / order_of_theorem_4(d, small, error) > growth);
}

TEST_CASE("Theorem 21 as printed does not see that features are large at R = 0", "[theory][errata]") {
    // One feature's second moment at x = y = 0, against d eps^-2 log(...).
    const Index d = 256;
    const double a = -0.25, error = 1, radius = 1e-3;
    const double log_second_moment = 0.5 * 256 * (2 * std::log1p(-4 * a) - std::log1p(-8 * a));
    CHECK(std::exp(log_second_moment) == Approx(9.8e15).epsilon(0.01));
    CHECK(order_of_theorem_21_printed(d, radius, error, a) < 1e6);
    CHECK(std::log(order_of_theorem_21(d, radius, error, a)) > log_second_moment);
    CHECK_THROWS_AS(order_of_theorem_21(d, radius, error, 0.0), std::invalid_argument);
}

TEST_CASE("With R / sqrt d constant, Theorem 4 grows exponentially in sqrt d, not as d log d", "[theory][errata]") {
    const auto at = [](Index d) { return order_of_theorem_4_printed(d, 0.5 * std::sqrt(static_cast<double>(d)), 0.5); };
    const auto d_log_d = [](double d) { return d * std::log(d); };
    CHECK(at(4096) / at(256) > 1e4 * d_log_d(4096) / d_log_d(256));
    // With R d^(-1/4) constant it is d log(8d) plus a multiple of d: between d and d log d.
    const auto scaled = [](Index d) {
        return order_of_theorem_4_printed(d, std::pow(static_cast<double>(d), 0.25), 0.5);
    };
    CHECK(scaled(4096) / scaled(256) > 16);
    CHECK(scaled(4096) / scaled(256) < d_log_d(4096) / d_log_d(256));
}
