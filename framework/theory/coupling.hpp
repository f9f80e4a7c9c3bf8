#pragma once
// Exact covariance of two estimates whose omegas share a block, for the block samplers: what an estimator of M features
// has in place of Var / M. With c the pair covariance and n the number of ordered pairs in a block,
//     Var_M = Var / M + n c / M^2.
// Not in the papers; d is the dimension, plus = |x + y|^2, minus = |x - y|^2. chi(d) norms are independent throughout.
#include "rfbench/matrix.hpp"
#include "rfbench/theory/signed_log.hpp"

namespace rfbench::theory {

/// Positive features and every generalized exponential with t = +1, any A:
/// c = exp(-2s) 1F1(d; d/2; plus/2) - K^2 = -K^2 E g_N, N ~ Poisson(plus), g_n = 1 - prod_{j<n} (d+j)/(d+2j).
/// Never > 0.
SignedLog orthogonal_covariance_positive(Index d, double plus, double log_kernel);

/// Trigonometric features and every generalized exponential with t = -1: c = 1F1(d; d/2; -minus/2) - exp(-minus).
/// Absolute error below 1e-18. Its sign changes with |x - y|, the more often the larger d is. For d >= 3 there are
/// distances where it is positive: orthogonal sampling is worse than iid there. For d = 3 and 4 these are all beyond
/// one.
SignedLog orthogonal_covariance_trigonometric(Index d, double minus);

/// Regularized features, omegas of length sqrt(d): c = exp(-2s) [0F1(; d/2; d plus/2) - 0F1(; d/2; d plus/4)^2].
SignedLog orthogonal_covariance_regularized(Index d, double plus, double norms);

/// Positive features in a regular simplex, unit directions with inner product -1/(d-1), d >= 2: c = E over psi, density
/// prop. to sin^(d-1) psi on (0, pi), of exp(-2s) 1F1(d; d/2; (plus/2)(1 - sin psi/(d-1))), less K^2.
SignedLog simplex_covariance_positive(Index d, double plus, double log_kernel);
/// Trigonometric features in a regular simplex, d >= 2.
SignedLog simplex_covariance_trigonometric(Index d, double minus);
/// Regularized features in a regular simplex, d >= 2.
SignedLog simplex_covariance_regularized(Index d, double plus, double norms);

/// Ordered pairs of distinct columns within one block when M columns come in blocks of `block`.
double coupled_pairs(Index count, Index block);

/// log(Var/M + pairs c/M^2), given log Var and c; -infinity when it is zero.
double coupled_log_variance(double log_variance, SignedLog covariance, Index count, double pairs);

}  // namespace rfbench::theory
