#pragma once
// Special functions in logs, for arguments where the functions themselves overflow.
namespace rfbench::theory {

/// log I_0(z), z >= 0: Bessel function of the first kind, modified.
double log_bessel_i0(double z);

/// log 0F1(; b; z), b > 0, z >= 0: sum z^n / ((b)_n n!).
double log_hypergeometric_0f1(double b, double z);

/// log cosh z.
double log_cosh(double z);

/// log(exp(a) + exp(b)).
double log_add(double a, double b);

/// L(rho) = log((1 + rho) / (2 sqrt(rho))), rho > 0 (Likhosherstov 2022, proof of Theorem 15); exact near rho = 1.
double gaussian_log_norm(double rho);

/// rho*(h, d) = 2d / (2h + d + sqrt((2h + d)^2 + 8dh)), the minimiser of d L(rho) + rho h on (0, 1]; 1 at h = 0
/// ((6.14) in its stable form).
double optimal_rho(double h, double d);

}  // namespace rfbench::theory
