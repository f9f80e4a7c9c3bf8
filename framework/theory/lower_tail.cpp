#include "rfbench/theory/lower_tail.hpp"

#include <cmath>

namespace rfbench::theory {

double log_lower_tail(Index count, double share, double log_ratio) {
    return -0.5 * static_cast<double>(count) * share * share * std::exp(log_ratio);
}

double log_lower_tail_sharper(Index count, double share, double log_ratio) {
    // With theta = phi E Z / E Z^2 the logarithm is M times phi r (1 - share) + log(1 - phi r + phi^2 r / 2), r the
    // ratio. Its slope is zero where left r phi^2 / 2 + (1 - left r) phi = share.
    const double r = std::exp(log_ratio), left = 1 - share;
    const double linear = 1 - left * r;
    const double phi = 2 * share / (linear + std::sqrt(linear * linear + 2 * share * left * r));
    return static_cast<double>(count) * (phi * r * left + std::log1p(phi * r * (0.5 * phi - 1)));
}

double log_multiplicative_upper_tail(Index count, double delta, double log_ratio) {
    return -static_cast<double>(count) * std::exp(log_ratio) * ((1 + delta) * std::log1p(delta) - delta);
}

}  // namespace rfbench::theory
