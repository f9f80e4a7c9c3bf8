#include "rfbench/theory/special.hpp"

#include <algorithm>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>

namespace rfbench::theory {
namespace {

/// log of a sum of positive terms t_0 = 1, t_{n+1} = t_n ratio(n), whose ratios decrease through 1 at n = mode, where
/// log t_mode is known. Summed outwards from the mode until terms no longer count.
template <class Ratio>
double log_unimodal_series(double mode, double log_mode_term, Ratio ratio) {
    constexpr double negligible = 1e-18;
    double above = 0;
    double term = 1;
    for (double n = mode; term > negligible * (1 + above); ++n) {
        term *= ratio(n);
        above += term;
    }
    if (mode == 0) return std::log1p(above);
    double below = 0;
    term = 1;
    for (double n = mode; n > 0 && term > negligible * (1 + below); --n) {
        term /= ratio(n - 1);
        below += term;
    }
    return log_mode_term + std::log1p(above + below);
}

}  // namespace

double log_gamma(double z) {
    if (z < 100) return boost::math::lgamma(z);
    // Stirling's series; the next term is below 1e-17 here.
    const double r = 1 / z;
    return (z - 0.5) * std::log(z) - z + 0.5 * std::log(2 * M_PI) + r * (1. / 12 - r * r * (1. / 360 - r * r / 1260));
}

double log_bessel_i0(double z) {
    if (z < 1) return log_hypergeometric_0f1(1, 0.25 * z * z);
    if (z < 500) return std::log(boost::math::cyl_bessel_i(0, z));
    // Hankel's expansion; the fifth term is below 1e-17 here.
    const double r = 1 / (8 * z);
    const double tail = r * (1 + r * (4.5 + r * (37.5 + r * 459.375)));
    return z - 0.5 * std::log(2 * M_PI * z) + std::log1p(tail);
}

double log_hypergeometric_0f1(double b, double z) {
    if (z == 0) return 0;
    // Far out, where a series takes as many terms as the root of sqrt z: Hankel's expansion of the Bessel function that
    // it is, whose fourth term is below 1e-16.
    const double order = 4 * (b - 1) * (b - 1), argument = 2 * std::sqrt(z);
    if (argument > 1e5 * (9 + order)) {
        const double r = 1 / (8 * argument);
        const double tail = -(order - 1) * r * (1 - 0.5 * (order - 9) * r);
        return log_gamma(b) + 0.5 * (1 - b) * std::log(z) + argument - 0.5 * std::log(2 * M_PI * argument) +
               std::log1p(tail);
    }
    // Ratios z / ((b + n)(n + 1)) fall below 1 where n^2 + (b + 1) n + b = z.
    const double mode = std::floor(std::max(0.0, 0.5 * (std::sqrt((b - 1) * (b - 1) + 4 * z) - (b + 1))));
    const double log_term =
        mode == 0 ? 0 : mode * std::log(z) - (log_gamma(b + mode) - log_gamma(b)) - log_gamma(mode + 1);
    return log_unimodal_series(mode, log_term, [&](double n) { return z / ((b + n) * (n + 1)); });
}

double log_hypergeometric_1f1(double a, double b, double z) {
    if (z == 0) return 0;
    // Far out as above: the expansion in 1 / z, whose fourth term is below 1e-15.
    if (z > 1e5 * (1 + std::abs(b - a)) * (1 + std::abs(1 - a))) {
        const double first = (b - a) * (1 - a) / z, second = 0.5 * first * (b - a + 1) * (2 - a) / z;
        return log_gamma(b) - log_gamma(a) + z + (a - b) * std::log(z) + std::log1p(first + second);
    }
    // Ratios (a + n) z / ((b + n)(n + 1)) fall below 1 where n^2 + (b + 1 - z) n + b - a z = 0.
    const double half = 0.5 * (z - b - 1);
    const double discriminant = half * half - (b - a * z);
    const double mode = discriminant < 0 ? 0 : std::floor(std::max(0.0, half + std::sqrt(discriminant)));
    const double log_term = mode == 0 ? 0
                                      : mode * std::log(z) + (log_gamma(a + mode) - log_gamma(a)) -
                                            (log_gamma(b + mode) - log_gamma(b)) - log_gamma(mode + 1);
    return log_unimodal_series(mode, log_term, [&](double n) { return (a + n) * z / ((b + n) * (n + 1)); });
}

double log_cosh(double z) {
    z = std::abs(z);
    if (z < 1) {
        const double sh = std::sinh(0.5 * z);
        return std::log1p(2 * sh * sh);
    }
    return z + std::log1p(std::exp(-2 * z)) - M_LN2;
}

double log_add(double a, double b) {
    const double high = std::max(a, b);
    if (high == -std::numeric_limits<double>::infinity()) return high;
    return high + std::log1p(std::exp(std::min(a, b) - high));
}

double gaussian_log_norm(double rho) {
    const double root = std::sqrt(rho);
    const double gap = (1 - rho) / (1 + root);
    return std::log1p(gap * gap / (2 * root));
}

double optimal_rho(double h, double d) {
    const double sum = 2 * h + d;
    return 2 * d / (sum + std::sqrt(sum * sum + 8 * d * h));
}

}  // namespace rfbench::theory
