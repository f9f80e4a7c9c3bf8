#include "rfbench/theory/bounds.hpp"

#include <algorithm>
#include <cmath>

#include "rfbench/theory/special.hpp"

namespace rfbench::theory {
namespace {

/// log[2(m-1) / (M(d+2))], m = min(M, d).
double log_coefficient(Index d, Index count) {
    const double m = static_cast<double>(std::min(count, d));
    return std::log(2 * (m - 1) / (static_cast<double>(count) * static_cast<double>(d + 2)));
}

}  // namespace

double log_gain_theorem_3(Index d, Index count, double minus) {
    const double m = static_cast<double>(std::min(count, d));
    return std::log((m - 1) / (2 * static_cast<double>(count) * static_cast<double>(d))) - minus + 2 * std::log(minus);
}

double log_gain_theorem_6(Index d, Index count, double plus, double minus) {
    // K - exp(-s) = K (1 - exp(-plus/2))
    return log_coefficient(d, count) - minus + 2 * std::log(-std::expm1(-0.5 * plus));
}

double log_gain_theorem_18_printed(Index d, Index count, double plus, double minus) {
    // K - exp(-s/2) = K (1 - exp(-x.y)), x.y = (plus - minus)/4
    return log_coefficient(d, count) - minus + 2 * std::log(std::abs(std::expm1(-0.25 * (plus - minus))));
}

double log_gain_theorem_18(Index d, Index count, double plus, double minus) {
    return log_gain_theorem_6(d, count, plus, minus);
}

double log_kernel_ratio(Index d, double plus) {
    const double dimension = static_cast<double>(d);
    return log_hypergeometric_0f1(0.5 * dimension, 0.25 * dimension * plus) - 0.5 * plus;
}

double kernel_ratio_theorem_7_printed(Index d) { return 1 - 2 / std::cbrt(static_cast<double>(d)); }

double kernel_ratio_theorem_7(Index d, double plus) { return 1 - plus * plus / (4 * static_cast<double>(d)); }

}  // namespace rfbench::theory
