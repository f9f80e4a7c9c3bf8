#pragma once
#include <complex>

#include "rfbench/matrix.hpp"
#include "rfbench/theory/signed_log.hpp"

namespace rfbench::features {

/// Moments of one draw of generalized exponential features relative to K^2, functions of q = |x + t y|^2 alone
/// (Likhosherstov 2022, (6.13), after exp(-(t+1)(|x|^2+|y|^2)) = K^2 exp(-t q)):
///
///     E Z^2 / K^2 = (Re exp(d lambda + t q / (1 - 8A)) + exp(d mu + q beta)) / 2
///     lambda = Log(1 - 4A) - Log(1 - 8A)/2,  mu = Re log|1 - 4A| - log(1 - 8 Re A)/2,
///     beta = (4 t Re A + |1 - 4A|) / (1 - 8 Re A)
///
/// All logarithms are principal: both arguments have positive real parts, and |Im lambda| < pi/4, so that powers of d
/// are taken of the logarithm and never wrap.
class GeneralizedExponentialVariance {
public:
    /// Re(1 - 8A) > 0, t = +1 or -1.
    GeneralizedExponentialVariance(std::complex<double> a, double t, Index d);

    /// log(Var Z / K^2); -infinity when it is zero. Keeps its relative accuracy down to variances of 0.
    double log_relative(double q) const;
    /// The same for every entry.
    void log_relative(Eigen::Ref<Eigen::ArrayXd> q) const;

    /// (E Z(w) Z(-w) - K^2) / K^2, the covariance of an antithetic pair.
    theory::SignedLog antithetic(double q) const;

    /// Derivatives of log_relative with respect to Re A and Im A; Var must not be zero.
    struct Gradient {
        double real, imaginary;
    };
    Gradient gradient(double q) const;

private:
    bool is_real_positive() const { return t_ > 0 && a_.imag() == 0; }

    std::complex<double> a_;
    double t_, d_;
    double real_left_;  // 1 - 8 Re A
    double excess_;     // |1 - 4A| - (1 - 4 Re A)
    std::complex<double> lambda_;
    double mu_, beta_;
    // exponents of the two terms: sigma -+ delta, each constant + slope q; phase of the first term
    double sigma_, sigma_slope_, delta_, delta_slope_, phase_, phase_slope_;
};

}  // namespace rfbench::features
