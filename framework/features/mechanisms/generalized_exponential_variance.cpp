#include "rfbench/features/mechanisms/generalized_exponential_variance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rfbench/features/mechanisms/log_expm1.hpp"

namespace rfbench::features {
namespace {

using Complex = std::complex<double>;
using theory::SignedLog;

/// log(1 + z) / 2, accurate for small z; Re(1 + z) > 0.
Complex half_log1p(Complex z) {
    return {0.25 * std::log1p(2 * z.real() + std::norm(z)), 0.5 * std::atan2(z.imag(), 1 + z.real())};
}

double square(double value) { return value * value; }

/// (exp(sigma - delta) cos(phase) + exp(sigma + delta)) / 2 - 1.
SignedLog half_sum_less_one(double sigma, double delta, double phase) {
    constexpr double moderate = 2, large = 37;  // exp(-37) is below half an ulp of 1
    const double low = sigma - delta, high = sigma + delta;
    // The second exponential drowns all else.
    if (high > large + 1 && 2 * delta > large) return {high - M_LN2, 1};
    // Neither is large. Where they are near one, the difference from one is put together from expm1; elsewhere it is
    // formed as it stands.
    if (std::max(low, high) <= large) {
        double value = 0;
        if (std::abs(low) < moderate && std::abs(high) < moderate) {
            // cosh(delta) - 1 = e^2 / (2 (1 + e)), e = exp(delta) - 1
            const double excess = std::expm1(sigma), e = std::expm1(delta);
            const double turn = phase == 0 ? 0 : square(std::sin(phase / 2));
            value = excess + (1 + excess) * (0.5 * square(e) - turn) / (1 + e);
        } else {
            value = 0.5 * (std::exp(high) + std::exp(low) * std::cos(phase)) - 1;
        }
        return {std::log(std::abs(value)), value > 0 ? 1 : (value < 0 ? -1 : 0)};
    }
    // One is large: the sum is formed in logs.
    const double cosine = std::cos(phase);
    const SignedLog first{low + std::log(std::abs(cosine)) - M_LN2, cosine > 0 ? 1 : (cosine < 0 ? -1 : 0)};
    return (first + SignedLog{high - M_LN2, 1}) + SignedLog{0, -1};
}

}  // namespace

GeneralizedExponentialVariance::GeneralizedExponentialVariance(Complex a, double t, Index dimension)
    : a_(a), t_(t), d_(static_cast<double>(dimension)), real_left_(1 - 8 * a.real()) {
    const double re = a.real(), im = a.imag();
    const Complex eight = 1.0 - 8.0 * a;
    const double modulus = std::abs(1.0 - 4.0 * a);
    // The difference of squares over the sum, so that it does not cancel for small Im A.
    excess_ = 16 * im * im / (modulus + (1 - 4 * re));
    lambda_ = half_log1p(16.0 * a * a / eight);
    mu_ = 0.5 * std::log1p(16 * std::norm(a) / real_left_);
    // For t = -1 the slope beta - Re rho vanishes with A, and is summed from terms that do.
    double one_less_rho = (-8 * re * real_left_ + 64 * im * im) / std::norm(eight);
    const Complex rho = 1.0 / eight;
    // Far out squares may overflow, and nothing is small.
    constexpr double far = 1e100;
    if (std::abs(re) > far || std::abs(im) > far) {
        excess_ = 16 * im * (im / (modulus + (1 - 4 * re)));
        lambda_ = std::log(1.0 - 4.0 * a) - 0.5 * std::log(eight);
        mu_ = std::log(modulus) - 0.5 * std::log(real_left_);
        one_less_rho = 1 - rho.real();
    }
    beta_ = t > 0 ? (1 + excess_) / real_left_ : 1 + excess_ / real_left_;

    sigma_ = d_ * (mu_ + lambda_.real()) / 2;
    delta_ = d_ * (mu_ - lambda_.real()) / 2;
    phase_ = d_ * lambda_.imag();
    phase_slope_ = t * rho.imag();
    sigma_slope_ = t > 0 ? (beta_ + rho.real()) / 2 : (excess_ / real_left_ + one_less_rho) / 2;
    delta_slope_ = (beta_ - t * rho.real()) / 2;
}

double GeneralizedExponentialVariance::log_relative(double q) const {
    if (is_real_positive()) return log_expm1(sigma_ + q * sigma_slope_);
    const SignedLog value =
        half_sum_less_one(sigma_ + q * sigma_slope_, delta_ + q * delta_slope_, phase_ + q * phase_slope_);
    return value.sign > 0 ? value.log_abs : -std::numeric_limits<double>::infinity();
}

void GeneralizedExponentialVariance::log_relative(Eigen::Ref<Eigen::ArrayXd> q) const {
    if (is_real_positive()) {
        q = sigma_ + q * sigma_slope_;
        log_expm1(q);
        return;
    }
    for (double& one : q) one = log_relative(one);
}

SignedLog GeneralizedExponentialVariance::antithetic(double q) const {
    // E Z(w) Z(-w) / K^2 = (Re exp(d lambda - t q) + exp(d mu - t q - 2 (Im B)^2 q / (1 - 8 Re A))) / 2, and
    // 2 (Im B)^2 = |1 - 4A| - t (1 - 4 Re A).
    const double twice_square = t_ > 0 ? excess_ : excess_ + 2 * (1 - 4 * a_.real());
    const double low = d_ * lambda_.real() - t_ * q;
    // For t = -1 the slope 1 - (excess + 2 - 8 Re A)/(1 - 8 Re A) is -(1 + excess)/(1 - 8 Re A).
    const double high = d_ * mu_ - q * (t_ > 0 ? 1 + twice_square / real_left_ : (1 + excess_) / real_left_);
    return half_sum_less_one((low + high) / 2, (high - low) / 2, phase_);
}

GeneralizedExponentialVariance::Gradient GeneralizedExponentialVariance::gradient(double q) const {
    const double im = a_.imag();
    const Complex four = 1.0 - 4.0 * a_, eight = 1.0 - 8.0 * a_;
    const double modulus = std::abs(four);

    // The first exponent is analytic in A: one complex derivative gives both.
    const Complex first = d_ * 16.0 * a_ / (four * eight) + t_ * q * 8.0 / (eight * eight);
    const double modulus_re = -4 * four.real() / modulus, modulus_im = 16 * im / modulus;
    const double second_re = d_ * (-4 * four.real() / (modulus * modulus) + 4 / real_left_) +
                             q * (4 * t_ + modulus_re + 8 * beta_) / real_left_;
    const double second_im = d_ * 16 * im / (modulus * modulus) + q * modulus_im / real_left_;

    const double exponent = sigma_ + q * sigma_slope_ + delta_ + q * delta_slope_;
    const double weight = std::exp(-2 * (delta_ + q * delta_slope_));
    const double phase = phase_ + q * phase_slope_;
    const Complex turned = weight * Complex(std::cos(phase), std::sin(phase)) * first;
    const double variance = 2 * std::exp(log_relative(q) - exponent);
    // d Re f(A) = Re f' d Re A - Im f' d Im A
    return {(turned.real() + second_re) / variance, (-turned.imag() + second_im) / variance};
}

}  // namespace rfbench::features
