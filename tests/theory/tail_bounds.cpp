// Tail bounds against probabilities that are known exactly: as printed they fail, as corrected they hold.
#include "rfbench/theory/tail_bounds.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>

#include "catch.hpp"
#include "rfbench/theory/special.hpp"

using namespace rfbench;
using namespace rfbench::theory;

namespace {

/// P(Z > level) of one draw at x = y = 0: Z = (1-4A)^(d/2) exp(2A |w|^2), A < 0.
double exact_upper_tail(Index d, double a, double level) {
    const double square = (0.5 * static_cast<double>(d) * std::log1p(-4 * a) - std::log(level)) / (-2 * a);
    return square <= 0 ? 0 : boost::math::cdf(boost::math::chi_squared(static_cast<double>(d)), square);
}

/// E f(w.z/|w|, |w|^2): directions by the angle to z, squared lengths chi^2(d).
template <class F>
double mean_over_omega(Index d, F f) {
    boost::math::quadrature::tanh_sinh<double> angles, lengths;
    const double n = static_cast<double>(d);
    const auto weight = [&](double theta) { return std::pow(std::sin(theta), n - 2); };
    const boost::math::chi_squared law(n);
    const double mass = angles.integrate(weight, 0.0, M_PI);
    return lengths.integrate(
               [&](double square) {
                   return boost::math::pdf(law, square) *
                          angles.integrate([&](double theta) { return weight(theta) * f(std::cos(theta), square); },
                                           0.0, M_PI);
               },
               0.0, 200.0) /
           mass;
}

}  // namespace

TEST_CASE("Theorem 20 as printed is false at x = y = 0, as corrected it holds", "[theory][errata]") {
    struct Case {
        Index d;
        double a, error, probability;
    };
    for (const Case& at : {Case{2, -5, 19, 2.44e-3}, Case{4, -1, 20, 9.23e-4}, Case{8, -0.5, 70, 7.4e-7}}) {
        INFO("d = " << at.d << ", A = " << at.a);
        // K = 1, and the error from below cannot exceed 1.
        const double exact = exact_upper_tail(at.d, at.a, 1 + at.error);
        CHECK(exact == Approx(at.probability).epsilon(1e-2));
        CHECK(exact > std::exp(log_theorem_20_printed(at.d, 1, at.error, at.a, 0)));
        CHECK(exact <= std::exp(log_theorem_20(at.d, 1, at.error, at.a, 0)));
        const Chernoff chernoff(generalized_exponential_law(at.d, at.a, 0, 0));
        CHECK(exact <= std::exp(chernoff.log_bound(1, 1 + at.error)));
    }
    CHECK(std::exp(log_theorem_20_printed(2, 1, 19, -5, 0)) == Approx(3.70e-4).epsilon(1e-2));
    CHECK(std::exp(log_theorem_20_printed(4, 1, 20, -1, 0)) == Approx(6.71e-4).epsilon(1e-2));
}

TEST_CASE("The printed range of generalized exponential features is exceeded, ours is the least upper bound",
          "[theory][errata]") {
    // (6.45) at x = y = 0 states Z <= 1; at omega = 0 Z is 21.
    CHECK(std::exp(generalized_exponential_law(2, -5, 0, 0).log_greatest) == Approx(21));
    for (const double a : {-0.05, -0.4, -3.0}) {
        const Index d = 3;
        const double plus = 1.7, norms = 1.1;
        // the largest of 2A r^2 + sqrt(1-4A) r |z| over r
        double largest = -1e300;
        for (int i = 0; i <= 200000; ++i) {
            const double r = i * 1e-4;
            largest = std::max(largest, 2 * a * r * r + std::sqrt((1 - 4 * a) * plus) * r);
        }
        const double exact = largest + 1.5 * std::log1p(-4 * a) - norms;
        const double ours = generalized_exponential_law(d, a, plus, norms).log_greatest;
        CHECK(ours == Approx(exact).margin(1e-7));
        // The width Theorem 20 should have is never below it: q+ <= 2 s.
        CHECK(ours <= 1.5 * std::log1p(-4 * a) - norms / (4 * a) + 1e-12);
    }
    CHECK_THROWS_AS(generalized_exponential_law(2, 0.05, 1, 1), std::invalid_argument);
}

TEST_CASE("Moment generating functions are the defining expectations", "[theory]") {
    const double plus = 1.2, norms = 0.9;
    for (const Index d : {2, 3, 8}) {
        const double n = static_cast<double>(d);
        const Chernoff regularized(regularized_law(d, plus, norms));
        const double a = -0.1;
        const Chernoff exponential(generalized_exponential_law(d, a, plus, norms));
        for (const double phi : {0.3, 2.0, 9.0}) {
            INFO("d = " << d << ", phi = " << phi);
            const double of_regularized = mean_over_omega(d, [&](double cosine, double) {
                return std::exp(phi * std::exp(std::sqrt(n * plus) * cosine - norms));
            });
            CHECK(regularized.log_moment_generating(phi) == Approx(std::log(of_regularized)).epsilon(1e-9));
            const double of_exponential = mean_over_omega(d, [&](double cosine, double square) {
                return std::exp(phi * std::pow(1 - 4 * a, 0.5 * n) *
                                std::exp(2 * a * square + std::sqrt((1 - 4 * a) * plus * square) * cosine - norms));
            });
            CHECK(exponential.log_moment_generating(phi) == Approx(std::log(of_exponential)).epsilon(1e-9));
        }
    }
}

TEST_CASE("Theorem 8 as printed claims the impossible for M = 2, and takes off too much", "[theory][errata]") {
    // x = (.5, 1.25), y = (.5, -1.25)
    const double plus = 1, norms = 3.625;
    const Chernoff chernoff(regularized_law(2, plus, norms));
    const double log_phi = norms;  // phi = exp(s)
    CHECK(std::exp(2 * chernoff.log_moment_generating(std::exp(log_phi))) == Approx(154.33).epsilon(1e-4));
    CHECK(std::exp(log_subtracted_theorem_8_printed(2, 2, log_phi, plus, norms)) == Approx(176.0).epsilon(1e-3));
    const auto bound = [&](auto subtracted) {
        return chernoff.log_bound(2, 2 * std::exp(-norms),
                                  [&](Index m, double phi) { return subtracted(2, m, phi, plus, norms); });
    };
    CHECK(std::isinf(bound(log_subtracted_theorem_8_printed)));

    // In d = 2 the two orthogonal directions are one angle: P and E are integrals over it.
    const auto estimate = [&](double angle) {
        return 0.5 * std::exp(-norms) *
               (std::exp(std::sqrt(2 * plus) * std::cos(angle)) + std::exp(std::sqrt(2 * plus) * std::sin(angle)));
    };
    constexpr int steps = 20000;
    const auto average = [&](auto f) {
        double sum = 0;
        for (int i = 0; i < steps; ++i) sum += f(2 * M_PI * (i + 0.5) / steps);
        return sum / steps;
    };
    const double level = 2 * std::exp(-norms);
    const double probability = average([&](double angle) { return estimate(angle) > level ? 1.0 : 0.0; });
    CHECK(probability > 0.1);
    CHECK(probability <= std::exp(bound(log_subtracted_sharper)));
    CHECK(bound(log_subtracted_sharper) < bound(log_subtracted_theorem_8));
    CHECK(bound(log_subtracted_theorem_8) <= chernoff.log_bound(2, level));

    // E exp(phi (Z1 + Z2)) is below that of independent draws by at least what the corrected forms take off.
    for (const double shift : {-2.0, -0.5, 0.0, 0.7}) {
        const double phi = std::exp(log_phi + shift);
        const double coupled = average([&](double angle) { return std::exp(2 * phi * estimate(angle)); });
        const double gap = std::exp(2 * chernoff.log_moment_generating(phi)) - coupled;
        INFO("log phi - s = " << shift);
        CHECK(gap >= std::exp(log_subtracted_sharper(2, 2, std::log(phi), plus, norms)));
        CHECK(gap >= std::exp(log_subtracted_theorem_8(2, 2, std::log(phi), plus, norms)));
        if (shift <= 0) CHECK(gap < std::exp(log_subtracted_theorem_8_printed(2, 2, std::log(phi), plus, norms)));
    }
}

TEST_CASE("What all coefficients take off is the whole gap for small |x + y|", "[theory]") {
    // d = M = 2: one angle, as above.
    const double plus = 0.01, norms = 2;
    const Chernoff chernoff(regularized_law(2, plus, norms));
    for (const double c : {0.2, 1.0, 4.0}) {
        constexpr int steps = 1000;
        double coupled = 0;
        for (int i = 0; i < steps; ++i) {
            const double angle = 2 * M_PI * (i + 0.5) / steps, length = std::sqrt(2 * plus);
            coupled += std::exp(c * (std::exp(length * std::cos(angle)) + std::exp(length * std::sin(angle)))) / steps;
        }
        const double log_phi = std::log(c) + norms;
        const double gap = std::exp(2 * chernoff.log_moment_generating(std::exp(log_phi))) - coupled;
        const double subtracted = std::exp(log_subtracted_sharper(2, 2, log_phi, plus, norms));
        INFO("c = " << c);
        CHECK(subtracted <= gap);
        // The next terms are of relative order |x + y|^2 (1 + c)^2.
        CHECK(subtracted >= gap * (1 - plus * (1 + c) * (1 + c)));
    }
}

TEST_CASE("From M = 4 on the printed subtraction of Theorem 8 is weaker than the corrected one", "[theory][errata]") {
    CHECK(log_subtracted_theorem_8_printed(8, 4, 1.0, 2.0, 1.5) ==
          Approx(log_subtracted_theorem_8(8, 4, 1.0, 2.0, 1.5)).epsilon(1e-14));
    for (const Index count : {5, 8})
        CHECK(log_subtracted_theorem_8_printed(8, count, 1.0, 2.0, 1.5) <
              log_subtracted_theorem_8(8, count, 1.0, 2.0, 1.5));
    CHECK(std::isinf(log_subtracted_theorem_8(8, 1, 1.0, 2.0, 1.5)));
}

TEST_CASE("Hoeffding's bound and Chernoff's are probabilities and fall with M", "[theory]") {
    CHECK(log_hoeffding(1, 0.01, 2) == 0);
    CHECK(std::exp(log_hoeffding(50, 0.5, 2)) == Approx(2 * std::exp(-6.25)));
    const Chernoff chernoff(regularized_law(4, 1.5, 1));
    const double mean = std::exp(regularized_law(4, 1.5, 1).log_moment(1));
    CHECK(chernoff.log_bound(5, mean) == Approx(0).margin(1e-3));
    CHECK(chernoff.log_bound(8, 1.5 * mean) < chernoff.log_bound(4, 1.5 * mean));
    // The grid of phi costs little: the exponent is within 1 % of the best over all phi.
    double best = 0;
    for (double phi = 1e-3; phi < 100; phi *= 1.001)
        best = std::min(best, chernoff.log_moment_generating(phi) - phi * 1.5 * mean);
    CHECK(chernoff.log_bound(1, 1.5 * mean) <= 0.99 * best);
}
