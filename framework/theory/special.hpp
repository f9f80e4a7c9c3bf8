#pragma once
// Special functions in logs, for arguments where the functions themselves overflow. Where a value is near 1 its log
// keeps full relative accuracy, so that differences of logs do too.
namespace rfbench::theory {

/// log I_0(z), z >= 0: modified Bessel function of the first kind.
double log_bessel_i0(double z);

/// log 0F1(; b; z) = log sum z^n / ((b)_n n!), b > 0, z >= 0.
double log_hypergeometric_0f1(double b, double z);

/// log 1F1(a; b; z) = log sum (a)_n z^n / ((b)_n n!), a > 0, b > 0, z >= 0.
double log_hypergeometric_1f1(double a, double b, double z);

/// log cosh z.
double log_cosh(double z);

/// log(exp(a) + exp(b)).
double log_add(double a, double b);

/// log Gamma(z), z > 0. Unlike std::lgamma it writes no global.
double log_gamma(double z);

/// L(rho) = log((1 + rho) / (2 sqrt(rho))), rho > 0 (Likhosherstov 2022, proof of Theorem 15).
double gaussian_log_norm(double rho);

/// rho*(h, d) = 2d / (2h + d + sqrt((2h + d)^2 + 8dh)): minimises d L(rho) + rho h over (0, 1]. This is (6.14) of
/// Likhosherstov 2022 in a form without cancellation; 1 at h = 0.
double optimal_rho(double h, double d);

}  // namespace rfbench::theory
