#include "rfbench/theory/coupling.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <limits>

#include "rfbench/theory/special.hpp"

namespace rfbench::theory {
namespace {

/// E over psi with density prop. to sin^(d-1) psi on (0, pi): by symmetry over (0, pi/2), where all but exp(-98) of the
/// mass lies within 14 / sqrt(d) of pi/2.
template <class F>
double mean_over_angle(Index d, F f) {
    using Rule = boost::math::quadrature::gauss<double, 30>;
    const double width = std::min(M_PI_2, 14 / std::sqrt(static_cast<double>(d)));
    constexpr int panels = 4;
    double mass = 0;
    double sum = 0;
    for (int panel = 0; panel < panels; ++panel) {
        const double low = width * panel / panels;
        const double high = width * (panel + 1) / panels;
        // delta = pi/2 - psi
        auto weight = [&](double delta) { return std::pow(std::cos(delta), static_cast<double>(d - 1)); };
        mass += Rule::integrate(weight, low, high);
        sum += Rule::integrate([&](double delta) { return weight(delta) * f(std::cos(delta)); }, low, high);
    }
    return sum / mass;
}

/// 1F1(d; d/2; -u) = exp(-u) 1F1(-d/2; d/2; u): alternating, in long double. Absolute error below 1e-18.
long double alternating_1f1(Index d, long double u) {
    if (u == 0) return 1;
    const long double half = static_cast<long double>(d) / 2;
    // Every term is scaled by exp(-u) from the start, through logs where that underflows.
    long double sum = 0;
    long double log_size = -u;
    int sign = 1;
    for (Index n = 0;; ++n) {
        const long double term = sign * std::exp(log_size);
        sum += term;
        const long double factor = (static_cast<long double>(n) - half) / (half + static_cast<long double>(n));
        if (factor == 0) break;
        const long double ratio = std::abs(factor) * u / static_cast<long double>(n + 1);
        // Before n = u terms may be small and grow again: for odd d there are two humps, with a valley at n = d/2.
        if (static_cast<long double>(n + 1) >= u && std::abs(term) < 1e-24L) break;
        log_size += std::log(ratio);
        if (factor < 0) sign = -sign;
    }
    return sum;
}

/// g_n of the header, n = 0, 1, ...: advanced one step at a time, all terms positive.
class PairDeficit {
public:
    explicit PairDeficit(Index d) : d_(static_cast<double>(d)) {}
    double value() const { return g_; }
    // 1 - p_(n+1) = (1 - p_n) + p_n n / (d + 2n), where p_n is the product so far: nothing cancels.
    void advance() {
        g_ += p_ * n_ / (d_ + 2 * n_);
        p_ *= (d_ + n_) / (d_ + 2 * n_);
        ++n_;
    }

private:
    double d_, n_ = 0, p_ = 1, g_ = 0;
};

SignedLog from_value(double value) {
    return value == 0 ? SignedLog{} : SignedLog{std::log(std::abs(value)), value < 0 ? -1 : 1};
}

}  // namespace

SignedLog orthogonal_covariance_positive(Index d, double plus, double log_kernel) {
    if (plus == 0 || d == 1) return {};
    // E g_N, N ~ Poisson(plus), with weights relative to the one at the mode.
    const double mode = std::floor(plus);
    const double log_mode = mode * std::log(plus) - plus - log_gamma(mode + 1);
    const double last = plus + 40 * std::sqrt(plus) + 60;
    PairDeficit deficit(d);
    double sum = 0;
    double log_weight = -plus;
    for (double n = 0; n <= last; ++n) {
        if (log_weight - log_mode > -800) sum += std::exp(log_weight - log_mode) * deficit.value();
        log_weight += std::log(plus / (n + 1));
        deficit.advance();
    }
    return {2 * log_kernel + log_mode + std::log(sum), -1};
}

SignedLog orthogonal_covariance_trigonometric(Index d, double minus) {
    if (minus == 0 || d == 1) return {};
    // Here the two terms differ in size. Below, where they nearly cancel, their difference is summed by itself.
    if (minus > 1) {
        const long double u = static_cast<long double>(minus) / 2;
        return from_value(static_cast<double>(alternating_1f1(d, u) - std::exp(-2 * u)));
    }
    // -sum (-minus)^n / n! g_n
    PairDeficit deficit(d);
    double sum = 0;
    double term = -1;
    for (double n = 0; n < 40; ++n) {
        sum += term * deficit.value();
        term *= -minus / (n + 1);
        deficit.advance();
    }
    return from_value(sum);
}

SignedLog orthogonal_covariance_regularized(Index d, double plus, double norms) {
    if (plus == 0 || d == 1) return {};
    // 0F1(; b; z)^2 = sum (2z)^n / ((b)_n n!) prod_{j<n} (d-1+2j)/(d-1+j), b = d/2, z = d plus / 4: the difference term
    // by term is -sum (2z)^n / ((b)_n n!) (prod - 1).
    const double b = 0.5 * static_cast<double>(d);
    const double z2 = 0.5 * static_cast<double>(d) * plus;
    const double e = static_cast<double>(d - 1);
    SignedLog sum;
    double log_term = 0;
    double log_product = 0;
    for (double n = 0;; ++n) {
        if (log_product > 0) {
            const SignedLog next{log_term + log_product + std::log(-std::expm1(-log_product)), 1};
            sum = sum + next;
            const double ratio = z2 / ((b + n) * (n + 1)) * (e + 2 * n) / (e + n);
            if (ratio < 0.5 && next.log_abs < sum.log_abs - 45) break;
        }
        log_term += std::log(z2 / ((b + n) * (n + 1)));
        log_product += std::log1p(n / (e + n));
    }
    return {sum.log_abs - 2 * norms, -1};
}

SignedLog simplex_covariance_positive(Index d, double plus, double log_kernel) {
    if (plus == 0 || d == 1) return {};
    const double a = static_cast<double>(d);
    const double log_orthogonal = log_hypergeometric_1f1(a, a / 2, plus / 2);
    // exp(-2s) E [1F1(v) - 1F1(plus/2)], relative to 1F1(plus/2); never positive.
    const double relative = mean_over_angle(d, [&](double sine) {
        return std::expm1(log_hypergeometric_1f1(a, a / 2, (plus / 2) * (1 - sine / (a - 1))) - log_orthogonal);
    });
    // -2s = 2 log K - plus
    const SignedLog extra{2 * log_kernel - plus + log_orthogonal + std::log(-relative), -1};
    return orthogonal_covariance_positive(d, plus, log_kernel) + extra;
}

SignedLog simplex_covariance_trigonometric(Index d, double minus) {
    if (minus == 0 || d == 1) return {};
    const long double u = static_cast<long double>(minus) / 2;
    const long double centre = alternating_1f1(d, u);
    const double extra = mean_over_angle(d, [&](double sine) {
        const long double delta = static_cast<long double>(sine) / static_cast<long double>(d - 1);
        return static_cast<double>((alternating_1f1(d, u * (1 - delta)) - centre) +
                                   (alternating_1f1(d, u * (1 + delta)) - centre)) /
               2;
    });
    return orthogonal_covariance_trigonometric(d, minus) + from_value(extra);
}

SignedLog simplex_covariance_regularized(Index d, double plus, double norms) {
    if (plus == 0 || d == 1) return {};
    const double a = static_cast<double>(d);
    const double log_orthogonal = log_hypergeometric_0f1(a / 2, a * plus / 2);
    const double log_simplex = log_hypergeometric_0f1(a / 2, a * plus / 2 * (1 - 1 / (a - 1)));
    const SignedLog extra{log_orthogonal - 2 * norms + std::log(-std::expm1(log_simplex - log_orthogonal)), -1};
    return orthogonal_covariance_regularized(d, plus, norms) + extra;
}

double coupled_pairs(Index count, Index block) {
    const Index blocks = count / block;
    const double whole = static_cast<double>(blocks);
    const double rest = static_cast<double>(count % block);
    const double size = static_cast<double>(block);
    return whole * size * (size - 1) + rest * (rest - 1);
}

double coupled_log_variance(double log_variance, SignedLog covariance, Index count, double pairs) {
    const double m = static_cast<double>(count);
    const SignedLog own{log_variance - std::log(m), 1};
    if (pairs == 0) return own.log_abs;
    const SignedLog sum = own + scaled(covariance, std::log(pairs) - 2 * std::log(m));
    return sum.sign > 0 ? sum.log_abs : -std::numeric_limits<double>::infinity();
}

}  // namespace rfbench::theory
