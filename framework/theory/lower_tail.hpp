#pragma once
// Lower tails of estimates that are never negative, and the multiplicative upper tail of bounded ones. Not in the
// papers: Likhosherstov 2022 leaves lower tails of positive features open (section 7, question 2). Theorem and proof
// are on docs/concentration.md.
#include "rfbench/matrix.hpp"

namespace rfbench::theory {

/// log of exp(-M t^2 / (2 E Z^2)) >= P(K^ <= E Z - t) for the mean K^ of M values Z >= 0 that are independent, or
/// Z = a(r) exp(b(r) u_m) of orthogonal directions in blocks (u_m: their coordinates along x + y, r: lengths that are
/// independent). `share`: t / E Z in (0, 1]; `log_ratio`: log of (E Z)^2 / E Z^2.
double log_lower_tail(Index count, double share, double log_ratio);

/// The same before its last step: the least over theta of exp(theta M (E Z - t)) (1 - theta E Z + theta^2 E Z^2 / 2)^M.
double log_lower_tail_sharper(Index count, double share, double log_ratio);

/// log of (e^delta / (1 + delta)^(1 + delta))^(M E Z / greatest) >= P(K^ >= (1 + delta) E Z) for values in
/// [0, greatest] (Chernoff; Hoeffding 1963) whose E exp(phi sum Z) is at most that of independent ones: by Theorems 8
/// and 20 also orthogonal ones, for any M. `log_ratio`: log of E Z / greatest.
double log_multiplicative_upper_tail(Index count, double delta, double log_ratio);

}  // namespace rfbench::theory
