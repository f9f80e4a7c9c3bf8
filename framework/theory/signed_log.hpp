#pragma once
#include <cmath>
#include <limits>
#include <utility>

namespace rfbench::theory {

/// A real number as sign * exp(log_abs), for quantities far outside the range of double. Zero has log_abs = -infinity.
struct SignedLog {
    double log_abs = -std::numeric_limits<double>::infinity();  ///< logarithm of the absolute value
    int sign = 0;                                               ///< -1, 0 or +1

    /// The number itself, which may overflow or underflow.
    double value() const { return sign == 0 ? 0.0 : sign * std::exp(log_abs); }
};

/// a + b without leaving logs.
inline SignedLog operator+(SignedLog a, SignedLog b) {
    constexpr double log_zero = -std::numeric_limits<double>::infinity();
    if (a.sign == 0 || a.log_abs == log_zero) return b;
    if (b.sign == 0 || b.log_abs == log_zero) return a;
    if (a.log_abs < b.log_abs) std::swap(a, b);
    const double ratio = std::exp(b.log_abs - a.log_abs);
    if (a.sign == b.sign) return {a.log_abs + std::log1p(ratio), a.sign};
    if (ratio == 1.0) return {};
    return {a.log_abs + std::log1p(-ratio), a.sign};
}

/// exp(shift) * a.
inline SignedLog scaled(SignedLog a, double log_factor) {
    return a.sign == 0 ? a : SignedLog{a.log_abs + log_factor, a.sign};
}

}  // namespace rfbench::theory
