#pragma once
// The papers' variance bounds for block-orthogonal sampling, as printed and as corrected (docs/mechanisms.md, errata).
// Each gives the log of the claimed reduction G in Var_ort <= Var_iid - G for M <= d or M a multiple of d; -infinity
// where it claims none. d: dimension, count: M, norms: |x|^2 + |y|^2, plus: |x + y|^2, minus: |x - y|^2.
#include "rfbench/matrix.hpp"

namespace rfbench::theory {

/// Theorem 3 (Yu et al. 2016), trigonometric: leading term (m-1)/(2 M d) K^2 |x - y|^4 with m = min(M, d). The theorem
/// adds an unspecified O(1/d^2), so that this is an asymptotic value and no bound.
double log_gain_theorem_3(Index d, Index count, double minus);

/// Theorem 6, positive: 2(m-1)/(M(d+2)) (K - exp(-s))^2.
double log_gain_theorem_6(Index d, Index count, double plus, double minus);

/// Theorem 18, generalized exponential with t = +1 and real A, as printed: 2(m-1)/(M(d+2)) (K - exp(-s/2))^2. False
/// for x.y < 0.
double log_gain_theorem_18_printed(Index d, Index count, double plus, double minus);

/// Theorem 18 with exp(-s), which its proof gives: the same as Theorem 6.
double log_gain_theorem_18(Index d, Index count, double plus, double minus);

/// log K_reg / K = log 0F1(; d/2; d q+ / 4) - q+ / 2, exactly: the bias of regularized features.
double log_kernel_ratio(Index d, double plus);
/// Theorem 7, a lower bound on K_reg / K as printed, asymptotic: 1 - 2 d^(-1/3).
double kernel_ratio_theorem_7_printed(Index d);
/// A lower bound on K_reg / K for every d, ours: 1 - plus^2 / (4 d).
double kernel_ratio_theorem_7(Index d, double plus);

}  // namespace rfbench::theory
