#pragma once
// The papers' bounds on the tails of M-feature estimates at one pair, as printed and as corrected (docs/mechanisms.md,
// errata). d: dimension, M: number of omegas, norms: s = |x|^2 + |y|^2, plus: |x + y|^2, K: the estimated kernel value.
// All are returned as logs; 0 (probability 1) at most.
#include <functional>
#include <limits>
#include <vector>

#include "rfbench/matrix.hpp"

namespace rfbench::theory {

/// log of 2 exp(-2 M eps^2 / width^2) >= P(|K^ - K| >= eps) for the mean of M independent values in an interval of this
/// width (Hoeffding 1963). Trigonometric features have width 2: the pointwise bound inside Theorem 2.
double log_hoeffding(Index count, double error, double width);

/// Theorem 20, first part, for generalized exponential features with t = +1 and A < 0: width exp(-s/(4A)). It drops the
/// factor (1 - 4A)^(d/2) of the features, takes 1/4 of Hoeffding's exponent, and has the factor's power -1 for -2.
/// False.
double log_theorem_20_printed(Index d, Index count, double error, double a, double norms);
/// With the factor and the exponent: 2 exp(-2 M eps^2 exp(s/(2A)) (1 - 4A)^(-d)).
double log_theorem_20(Index d, Index count, double error, double a, double norms);

/// A random variable Z in (0, greatest], by its moments: what a Chernoff bound needs.
struct BoundedLaw {
    std::function<double(double n)> log_moment;  ///< log E Z^n
    double log_greatest;                         ///< log of the least upper bound of Z
};
/// Z of one draw of regularized features: log E Z^n = log 0F1(; d/2; n^2 d q+ / 4) - n s.
BoundedLaw regularized_law(Index d, double plus, double norms);
/// Z of one draw of generalized exponential features with t = +1 and A < 0; greatest is (1-4A)^(d/2)
/// exp(-(1-4A) q+/(8A) - s). Throws std::invalid_argument unless A < 0.
BoundedLaw generalized_exponential_law(Index d, double a, double plus, double norms);

/// exp(-phi M a) E exp(phi Z)^M >= P(K^ > a) for independent draws and, where Z has positive power series coefficients,
/// for orthogonal ones (Theorems 8, 9 and 20), at the best phi of a grid of 300 from 1e-4 to 512 over the greatest Z.
/// Every phi gives a valid bound.
class Chernoff {
public:
    /// Asks the law once for all moments that it will need.
    explicit Chernoff(const BoundedLaw&);

    /// log E exp(phi Z), phi > 0: all terms of the series are positive, and its remainder is below 1e-15 of it.
    double log_moment_generating(double phi) const;

    /// log of the bound on P(K^ > a) for M = count and a = level.
    double log_bound(Index count, double level) const;
    /// With log_subtracted(m, log phi) taken from E exp(phi Z)^m of each of the independent blocks of at most `block`
    /// draws: -infinity where that leaves nothing, a bound that says the event cannot happen.
    double log_bound(Index count, double level, const std::function<double(Index, double)>& log_subtracted,
                     Index block = std::numeric_limits<Index>::max()) const;

private:
    /// By the log of phi times the greatest Z, neither of which needs to be within double's range.
    double log_sum(double log_x) const;

    double log_greatest_;
    std::vector<double> log_moments_;  // log E (Z / greatest)^n / n!
    std::vector<double> log_phi_, log_mgf_;
};

/// The log of what Theorem 8 takes off for orthogonal regularized features, M <= d, as printed: exp(-M s) phi^4
/// M(M-1)/(4(d+2)) q+^2, which is too much for M = 2 and 3.
double log_subtracted_theorem_8_printed(Index d, Index count, double log_phi, double plus, double norms);
/// The same with exp(-4 s), by the proof.
double log_subtracted_theorem_8(Index d, Index count, double log_phi, double plus, double norms);
/// Ours: with c^2 (1+c)^2 exp(M c) for exp(-4 s) phi^4, c = phi exp(-s), from all coefficients and not only the first
/// two.
double log_subtracted_sharper(Index d, Index count, double log_phi, double plus, double norms);

}  // namespace rfbench::theory
