// Special functions against Boost where Boost does not overflow, and against identities where it does.
#include "rfbench/theory/special.hpp"

#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/hypergeometric_0F1.hpp>
#include <cmath>

#include "catch.hpp"
#include "rfbench/theory/chebyshev.hpp"

using namespace rfbench::theory;

namespace {
constexpr double ulp = 2.220446049250313e-16;

/// 1F1 by its power series in long double, where that does not overflow.
double series_1f1(double a, double b, double z) {
    long double sum = 0, term = 1;
    for (int n = 0; term > 1e-22L * sum; ++n) {
        sum += term;
        term *= (a + n) * static_cast<long double>(z) / ((b + n) * static_cast<long double>(n + 1));
    }
    return static_cast<double>(sum);
}

/// A log is exact when exp of it is, so errors are absolute in the log once the log exceeds 1. Mode terms are
/// differences of log-gammas of size n log n, each good to a few ulps.
double log_tolerance(double log_value) { return 32 * ulp * (1 + 10 * std::abs(log_value)); }
}  // namespace

TEST_CASE("0F1, 1F1 and I0 agree with Boost and plain series where these do not overflow", "[theory]") {
    for (const double b : {0.5, 1.0, 2.0, 4.5, 32.0, 256.0})
        for (const double z : {1e-12, 1e-3, 0.3, 1.0, 7.0, 60.0, 900.0}) {
            INFO("b = " << b << ", z = " << z);
            const double expected = std::log(boost::math::hypergeometric_0F1(b, z));
            CHECK(std::abs(log_hypergeometric_0f1(b, z) - expected) <= log_tolerance(expected));
            const double confluent = std::log(series_1f1(2 * b, b, std::min(z, 200.0)));
            CHECK(std::abs(log_hypergeometric_1f1(2 * b, b, std::min(z, 200.0)) - confluent) <=
                  log_tolerance(confluent));
        }
    for (const double z : {1e-6, 0.5, 1.0, 3.0, 40.0, 400.0, 499.9, 500.1, 600.0}) {
        INFO("z = " << z);
        const double expected = std::log(boost::math::cyl_bessel_i(0, z));
        CHECK(std::abs(log_bessel_i0(z) - expected) <= log_tolerance(expected));
    }
}

TEST_CASE("Logs keep relative accuracy near 1", "[theory]") {
    // 0F1(; b; z) = 1 + z/b + ..., 1F1(a; b; z) = 1 + a z / b + ..., I0 = 1 + z^2/4, cosh = 1 + z^2/2
    const double z = 1e-9;
    CHECK(log_hypergeometric_0f1(3, z) == Approx(z / 3).epsilon(1e-9));
    CHECK(log_hypergeometric_1f1(6, 3, z) == Approx(2 * z).epsilon(1e-8));
    CHECK(log_bessel_i0(z) == Approx(0.25 * z * z).epsilon(1e-12));
    CHECK(log_cosh(z) == Approx(0.5 * z * z).epsilon(1e-12));
}

TEST_CASE("Arguments that overflow double stay finite and satisfy the asymptotics", "[theory]") {
    // I_nu(z) ~ exp(z) / sqrt(2 pi z), 0F1(; nu + 1; z^2/4) = Gamma(nu + 1) (2/z)^nu I_nu(z); corrections (4
    // nu^2-1)/(8z)
    for (const double z : {1e4, 1e5, 1e6, 1e7, 1e12, 1e50}) {
        const double nu = 0.5;  // exact up to exp(-2z): I_{1/2}(z) = sqrt(2/(pi z)) sinh z
        const double expected = log_gamma(1.5) + nu * std::log(2 / z) + 0.5 * std::log(2 / (M_PI * z)) + z - M_LN2;
        CHECK(std::abs(log_hypergeometric_0f1(1.5, 0.25 * z * z) - expected) <= log_tolerance(expected));
        CHECK(std::abs(log_cosh(z) - (z - M_LN2)) <= log_tolerance(z));
    }
    // 1F1(1; 1/2; z) = 1 + sqrt(pi z) exp(z) erf(sqrt z)
    for (const double z : {900.0, 1e4, 1e5, 1e6, 1e12, 1e50}) {
        const double expected = 0.5 * std::log(M_PI * z) + z;
        CHECK(std::abs(log_hypergeometric_1f1(1, 0.5, z) - expected) <= log_tolerance(expected));
    }
}

TEST_CASE("Expansions far out meet the series where they take over", "[theory]") {
    // d/dz log 0F1(; b; z) = 0F1(; b + 1; z) / (b 0F1(; b; z)); the same of 1F1, times a.
    for (const double b : {0.5, 1.0, 4.5, 8.0}) {
        const double from = 0.5e5 * (9 + 4 * (b - 1) * (b - 1)), z = from * from;
        const auto f = [&](double at) { return log_hypergeometric_0f1(b, at); };
        const double slope = std::exp(log_hypergeometric_0f1(b + 1, z) - f(z)) / b;
        CHECK(std::abs(f(z * (1 + 1e-9)) - f(z * (1 - 1e-9)) - 2e-9 * z * slope) <= log_tolerance(f(z)));
    }
    for (const double a : {0.5, 2.0, 5.0}) {
        const double b = 3, z = 1e5 * (1 + std::abs(b - a)) * (1 + std::abs(1 - a));
        const auto f = [&](double at) { return log_hypergeometric_1f1(a, b, at); };
        const double slope = std::exp(log_hypergeometric_1f1(a + 1, b + 1, z) - f(z)) * a / b;
        CHECK(std::abs(f(z * (1 + 1e-9)) - f(z * (1 - 1e-9)) - 2e-9 * z * slope) <= log_tolerance(f(z)));
    }
}

TEST_CASE("rho* is the minimiser of d L(rho) + rho h, and the printed (6.14) is not", "[theory][errata]") {
    for (const double d : {1.0, 2.0, 64.0})
        for (const double h : {1e-6, 0.8125, 10.0, 1e4}) {
            INFO("d = " << d << ", h = " << h);
            const double rho = optimal_rho(h, d);
            CHECK(rho > 0);
            CHECK(rho < 1);
            // derivative d (rho - 1) / (2 rho (1 + rho)) + h
            const double scale = d / rho + h;
            CHECK(std::abs(d * (rho - 1) / (2 * rho * (1 + rho)) + h) <= 16 * ulp * scale);
        }
    CHECK(optimal_rho(0, 5) == 1);
    // Erratum 28: with "-2|x+y|^2 - d" inside the root the value leaves (0, 1).
    const double d = 2, q = 0.8125;
    CHECK(optimal_rho(q, d) == Approx(0.457781641248).epsilon(1e-11));
    const double printed = std::sqrt((2 * q + d) * (2 * q + d) + 8 * d * q - 2 * q - d) / (4 * q);
    CHECK(printed > 1);
}

TEST_CASE("L(rho) is exact near 1", "[theory]") {
    // L = (1-rho)^2/8 + (1-rho)^3/8 + ...
    const double e = 1e-6;
    CHECK(gaussian_log_norm(1 - e) == Approx(e * e / 8 * (1 + e)).epsilon(1e-8));
    CHECK(gaussian_log_norm(4.0) == Approx(std::log(1.25)));
}

TEST_CASE("A Chebyshev interpolant reaches its tolerance", "[theory]") {
    const auto f = [](double q) { return log_hypergeometric_0f1(32, 16 * q); };
    const Chebyshev fit(f, 0, 300, 1e-14);
    const Eigen::ArrayXd points = Eigen::ArrayXd::LinSpaced(1234, 0, 300);
    Eigen::ArrayXd values(points.size());
    fit.evaluate(points, values);
    double worst = 0;
    for (rfbench::Index i = 0; i < points.size(); ++i) worst = std::max(worst, std::abs(values[i] - f(points[i])));
    CHECK(worst <= 1e-12 * f(300));
    CHECK_THROWS_AS(Chebyshev([](double x) { return std::abs(x - 0.3); }, -1, 1, 1e-15), std::runtime_error);
}
