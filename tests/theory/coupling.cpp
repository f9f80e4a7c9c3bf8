// Exact covariances of coupled draws: against quadrature where the angle can be integrated, and against each other.
#include "rfbench/theory/coupling.hpp"

#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "rfbench/theory/bounds.hpp"
#include "rfbench/theory/special.hpp"

using namespace rfbench;
using namespace rfbench::theory;

namespace {

/// E over the angle psi of the sum of two coupled omegas with inner product `cosine` between directions: the squared
/// length of w1 + w2 is r1^2 + r2^2 + 2 r1 r2 cosine; in polar form r1 = r cos(psi/2), r2 = r sin(psi/2), r^2 chi2(2d).
/// Returns E 1F1(d; d/2; (q/2)(1 + cosine sin psi)).
double mean_1f1(Index d, double q, double cosine) {
    boost::math::quadrature::tanh_sinh<double> rule;
    const double a = static_cast<double>(d);
    const auto weight = [&](double psi) { return std::pow(std::sin(psi), a - 1); };
    const double mass = rule.integrate(weight, 0.0, M_PI);
    return rule.integrate(
               [&](double psi) {
                   return weight(psi) *
                          std::exp(log_hypergeometric_1f1(a, a / 2, q / 2 * (1 + cosine * std::sin(psi))));
               },
               0.0, M_PI) /
           mass;
}

}  // namespace

TEST_CASE("Positive covariances are those of the defining expectation", "[theory]") {
    for (const Index d : {2, 3, 8, 64})
        for (const double plus : {0.1, 1.0, 6.0}) {
            INFO("d = " << d << ", plus = " << plus);
            const double minus = 0.4;
            const double log_kernel = -0.5 * minus;
            const double e2s = std::exp(-(plus + minus));  // exp(-2s), 2s = plus + minus
            const double k2 = std::exp(-minus);
            const double a = static_cast<double>(d);
            // The subtraction loses digits: absolute error of a few ulps of K^2, and 1e-12 from tanh-sinh.
            const double orthogonal = e2s * std::exp(log_hypergeometric_1f1(a, a / 2, plus / 2)) - k2;
            CHECK(orthogonal_covariance_positive(d, plus, log_kernel).value() == Approx(orthogonal).margin(1e-13));
            const double simplex = e2s * mean_1f1(d, plus, -1 / (a - 1)) - k2;
            CHECK(simplex_covariance_positive(d, plus, log_kernel).value() == Approx(simplex).margin(1e-12));
            // A simplex is better still for positive features.
            CHECK(simplex_covariance_positive(d, plus, log_kernel).log_abs >
                  orthogonal_covariance_positive(d, plus, log_kernel).log_abs);
        }
}

TEST_CASE("Trigonometric covariance: both of its forms agree at the switch, and its sign changes", "[theory][errata]") {
    for (const Index d : {2, 3, 4, 7, 16, 64}) {
        const double below = orthogonal_covariance_trigonometric(d, 1.0).value();
        const double above = orthogonal_covariance_trigonometric(d, std::nextafter(1.0, 2.0)).value();
        CHECK(below == Approx(above).epsilon(1e-12));
        // Near 0: -minus^2 / (2 (d + 2))
        const double q = 1e-5;
        CHECK(orthogonal_covariance_trigonometric(d, q).value() ==
              Approx(-q * q / (2 * static_cast<double>(d + 2))).epsilon(1e-4));
    }
    // Erratum 6: worse than iid beyond these distances (located in 60-digit arithmetic); never at d = 2.
    const std::vector<std::pair<Index, double>> first_worse{
        {3, 3.31111}, {4, 3.08124}, {8, 2.95968}, {16, 3.26247}, {64, 6.90941}};
    for (const auto& [d, distance] : first_worse) {
        INFO("d = " << d);
        const auto sign_at = [d = d](double z) { return orthogonal_covariance_trigonometric(d, z * z).sign; };
        // At d = 64 both terms are 1e-21, and their difference is soon less than an alternating sum's rounding.
        const double near = d == 64 ? 1e-3 : 1e-5;
        CHECK(sign_at(distance - near) == -1);
        CHECK(sign_at(distance + near) == 1);
    }
    CHECK(orthogonal_covariance_trigonometric(3, 3.75 * 3.75).value() == Approx(2.7e-3).epsilon(0.02));
    for (double z = 0.1; z < 8; z += 0.1) CHECK(orthogonal_covariance_trigonometric(2, z * z).sign == -1);
}

TEST_CASE("Trigonometric covariance: terms that are small before the largest ones do not end the sum", "[theory]") {
    // In 40-digit arithmetic.
    const std::tuple<Index, double, double> known[] = {{5, 40, -1.6285788146050155e-6},
                                                       {7, 132, 3.8391756288750275e-12},
                                                       {9, 136, -1.4334445536970855e-14},
                                                       {16, 60, -3.0652992722105704e-13}};
    for (const auto& [d, minus, covariance] : known) {
        INFO("d = " << d << ", minus = " << minus);
        // The header's bound.
        CHECK(orthogonal_covariance_trigonometric(d, minus).value() == Approx(covariance).epsilon(0).margin(1e-18));
    }
}

TEST_CASE("Regularized covariance is the difference of its two means", "[theory]") {
    for (const Index d : {2, 3, 8, 64})
        for (const double plus : {0.05, 1.0, 9.0}) {
            INFO("d = " << d << ", plus = " << plus);
            const double a = static_cast<double>(d);
            const double norms = 1.3;
            const double factor = std::exp(-2 * norms);
            const double mean = std::exp(log_hypergeometric_0f1(a / 2, a * plus / 4));
            const double orthogonal = factor * (std::exp(log_hypergeometric_0f1(a / 2, a * plus / 2)) - mean * mean);
            CHECK(orthogonal_covariance_regularized(d, plus, norms).value() ==
                  Approx(orthogonal).margin(1e-13 * factor * mean * mean));
            const double simplex =
                factor * (std::exp(log_hypergeometric_0f1(a / 2, a * plus / 2 * (1 - 1 / (a - 1)))) - mean * mean);
            CHECK(simplex_covariance_regularized(d, plus, norms).value() ==
                  Approx(simplex).margin(1e-13 * factor * mean * mean));
        }
}

TEST_CASE("Covariances stay finite where kernels underflow", "[theory]") {
    for (const Index d : {2, 64, 512})
        for (const double norm : {10.0, 50.0}) {
            const double plus = 4 * norm * norm;
            const double norms = 2 * norm * norm;
            for (const SignedLog c :
                 {orthogonal_covariance_positive(d, plus, 0), simplex_covariance_positive(d, plus, 0),
                  orthogonal_covariance_regularized(d, plus, norms), simplex_covariance_regularized(d, plus, norms)}) {
                CHECK(std::isfinite(c.log_abs));
                CHECK(c.sign == -1);
            }
            CHECK(std::abs(orthogonal_covariance_trigonometric(d, plus).value()) <= 1);
            CHECK(std::abs(simplex_covariance_trigonometric(d, plus).value()) <= 1);
        }
}

TEST_CASE("Pairs in blocks", "[theory]") {
    CHECK(coupled_pairs(5, 1) == 0);
    CHECK(coupled_pairs(4, 4) == 12);
    CHECK(coupled_pairs(3, 4) == 6);
    CHECK(coupled_pairs(10, 4) == 12 + 12 + 2);
    CHECK(coupled_pairs(7, 2) == 6);
}

TEST_CASE("Theorem 6 and the corrected Theorem 18 bound the exact variance; the printed 18 does not",
          "[theory][errata]") {
    int printed_violations = 0, cases = 0;
    for (const Index d : {2, 3, 8, 32})
        for (const Index count : {Index{2}, d, 3 * d})
            for (const double xy : {-0.375, -0.2, 0.1, 0.5})
                for (const double s : {0.8125, 2.0}) {
                    if (count > d && count % d != 0) continue;
                    const double plus = s + 2 * xy;
                    const double minus = s - 2 * xy;
                    const double m = static_cast<double>(count);
                    const SignedLog c = orthogonal_covariance_positive(d, plus, -0.5 * minus);
                    const double log_gain = c.log_abs + std::log(coupled_pairs(count, d)) - 2 * std::log(m);
                    INFO("d = " << d << ", M = " << count << ", x.y = " << xy << ", s = " << s);
                    CHECK(log_gain >= log_gain_theorem_6(d, count, plus, minus));
                    CHECK(log_gain >= log_gain_theorem_18(d, count, plus, minus));
                    ++cases;
                    if (log_gain < log_gain_theorem_18_printed(d, count, plus, minus)) {
                        ++printed_violations;
                        CHECK(xy < 0);
                    }
                }
    CHECK(printed_violations > 0);
    CHECK(printed_violations < cases);
    // Erratum 31: d = M = 2, A = 0, x = (.5, .5), y = (-.5, -.25).
    const double xy = -0.375, s = 0.8125, plus = s + 2 * xy, minus = s - 2 * xy;
    const double iid = (std::exp(4 * xy) - std::exp(-minus)) / 2;
    CHECK(iid == Approx(0.006759386).epsilon(1e-6));
    const double orthogonal = iid + 2 * orthogonal_covariance_positive(2, plus, -0.5 * minus).value() / 4;
    CHECK(orthogonal == Approx(0.006709266).epsilon(1e-6));
    CHECK(iid - std::exp(log_gain_theorem_18_printed(2, 2, plus, minus)) == Approx(-0.004088903).epsilon(1e-6));
    CHECK(iid - std::exp(log_gain_theorem_18(2, 2, plus, minus)) == Approx(0.006709782).epsilon(1e-6));
}

TEST_CASE("Theorem 7: our lower bound holds for every d, close to K_reg / K; the printed one is far",
          "[theory][errata]") {
    for (const Index d : {1, 2, 16, 64})
        for (const double plus : {0.01, 0.5, 1.0, 4.0}) {
            const double a = static_cast<double>(d);
            // K_reg / K = 0F1(; d/2; d plus/4) exp(-plus/2)
            const double ratio = std::exp(log_hypergeometric_0f1(a / 2, a * plus / 4) - plus / 2);
            CHECK(ratio <= 1);
            CHECK(ratio >= kernel_ratio_theorem_7(d, plus));
        }
    CHECK(std::exp(log_hypergeometric_0f1(32, 16) - 0.5) == Approx(0.99629).epsilon(1e-5));
    CHECK(kernel_ratio_theorem_7(64, 1.0) == Approx(0.99609).epsilon(1e-5));
    CHECK(kernel_ratio_theorem_7_printed(64) == Approx(0.5));
}

TEST_CASE("Theorem 3 is the leading term of the exact trigonometric gain as d grows", "[theory]") {
    const double minus = 1.5;
    // The relative error is O(1/d): eight times the dimension, an eighth of the error.
    double previous = 1;
    for (const Index d : {64, 512, 4096}) {
        const double exact = orthogonal_covariance_trigonometric(d, minus).log_abs + std::log(coupled_pairs(d, d)) -
                             2 * std::log(static_cast<double>(d));
        const double error = std::abs(exact - log_gain_theorem_3(d, d, minus));
        CHECK(error < 0.2 * previous);
        previous = error;
    }
}
