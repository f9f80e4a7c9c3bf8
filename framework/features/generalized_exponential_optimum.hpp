#pragma once
#include <complex>

#include "rfbench/matrix.hpp"

namespace rfbench::features {

/// The rho >= 1 that minimises d L(rho) + log((1 + exp(-(1 + rho) q)) / 2) + q, the log second moment over K^2 of a
/// generalized exponential with t = -1 and real A = (1 - 1/rho)/8: the root in [1, 1 + sqrt 2] of
/// d (rho - 1) / (2 rho (1 + rho)) = q / (1 + exp((1 + rho) q)). Returned as rho - 1, to full relative accuracy.
double optimal_rho_less_one(double q, double d);

struct GeneralizedExponentialOptimum {
    std::complex<double> a;
    double t;
    double log_relative;  ///< log(Var / K^2) there, at the average q
};

/// The real A of least variance at q = |x + t y|^2, in closed form for t = +1 (Theorem 15), by the root above for -1.
GeneralizedExponentialOptimum real_optimum(double t, double q, Index d);

/// The complex A of least variance at q: L-BFGS-B on log(Var / K^2) over xi = log(1 - 8 Re A) and eta = 8 Im A /
/// (1 - 8 Re A), from several starts around the real optimum. Never worse than real_optimum, and equal to it unless
/// better by more than rounding. Deterministic. The problem is not convex, so the minimum is local; on a grid over
/// (xi, eta), d and q we saw no other minimum, and never one off the real axis.
GeneralizedExponentialOptimum complex_optimum(double t, double q, Index d);

}  // namespace rfbench::features
