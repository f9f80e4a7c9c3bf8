#pragma once
#include <complex>

#include "rfbench/matrix.hpp"

namespace rfbench::features {

/// The rho >= 1 that minimises d L(rho) + log((1 + exp(-(1 + rho) q)) / 2) + q, the log second moment over K^2 of a
/// generalized exponential with t = -1 and real A = (1 - 1/rho)/8: the root in [1, 1 + sqrt 2] of
/// d (rho - 1) / (2 rho (1 + rho)) = q / (1 + exp((1 + rho) q)). Returned as rho - 1, to full relative accuracy.
double optimal_rho_less_one(double q, double d);

/// Parameters of generalized exponential features, and how good they are.
struct GeneralizedExponentialOptimum {
    std::complex<double> a;  ///< A
    double t;                ///< +1 or -1
    double log_relative;     ///< log(Var / K^2) there, at the average q
};

/// The real A of least variance at q = |x + t y|^2, in closed form for t = +1 (Theorem 15), by the root above for -1.
GeneralizedExponentialOptimum real_optimum(double t, double q, Index d);

/// Minimizes log(Var / K^2) at q by L-BFGS-B from `start`, over xi = log(1 - 8 Re A) and eta = 8 Im A / (1 - 8 Re A),
/// so that every step satisfies Re(1 - 8A) > 0. Never worse than the start. A failed line search or a value that is not
/// finite ends the descent; the best point so far is returned.
GeneralizedExponentialOptimum descend(std::complex<double> start, double t, double q, Index d);

/// The complex A of least variance at q: the best of descents from several starts around the real optimum. Never worse
/// than real_optimum, and equal to it unless better by more than rounding: a complex A costs twice the columns for
/// t = +1. Deterministic. The problem is not convex, so the minimum is local; on a grid over (xi, eta), d and q we saw
/// no other minimum, and never one off the real axis.
GeneralizedExponentialOptimum complex_optimum(double t, double q, Index d);

}  // namespace rfbench::features
