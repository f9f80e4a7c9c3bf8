#pragma once
// Errors that the theorems of Nishikawa, Higuchi and Suzuki 2025 bound, exactly, for a law that a few points are:
// operators are matrices over the points then. S: (K f)(x) = mean of K(x, x_i) f(x_i), S^ that of the estimate; norms
// are those of L2 of the law. O(J^3 + J^2 M) for J points and M features.
#include "rfbench/dof/weighted_features.hpp"

namespace rfbench::dof {

struct DensityErrors {
    double operator_error;  ///< |(S + lambda)^(-1/2) (S - S^) (S + lambda)^(-1/2)|, Lemma 2
    double kernel_square;   ///< |K - K^|^2 in L2 of the law twice, Theorem 3 (i)
    double integral_0, integral_quarter, integral_half;  ///< |(S - S^) (S + lambda)^(-alpha)|, alpha 0, 1/4, 1/2:
                                                         ///< Theorem 3 (ii) for the worst h of norm 1
    double output;         ///< |A^ - A| / |A|, Frobenius, rows of K and K^ over their sums: of this no theorem speaks
    double approximation;  ///< sup of unit f in the kernel's space, inf of |beta|^2 <= 4/M, Proposition 1
    double trace;          ///< tr S^ = (1/M) sum |phi_m|^2 / q(z_m)
};
/// Throws std::invalid_argument unless lambda is positive and finite.
DensityErrors density_errors(const PointsView& points, const WeightedFeatures&, double lambda);

/// tr S and |S|.
struct OperatorSize {
    double trace, norm;
};
OperatorSize operator_size(const PointsView& points);

/// sup over z of phi' (K + J lambda)^-1 phi / q(z) for q_inf, N_{q,lambda} of the paper: the largest value found on
/// rays through the points and 2048 directions, and far out on them; what is found is a lower bound.
double degrees_of_limit_density(const PointsView& points, double lambda);

/// Lemma 2: the bound on the probability that the operator's error is above t; it may be above 1.
double tail_of_lemma_2(double n, double count, double t);

/// The least t in (0, 3] for which M features are as many as Lemma 5 asks for; NaN where there is none.
double allowed_error(double n, double count, double delta);

/// Theorem 6 = 3 (i): lambda t 5 tr S / delta + t^2 tr S |S|.
double bound_theorem_6(const OperatorSize&, double lambda, double t, double delta);
/// Theorem 7 = 3 (ii) for |h| = 1: sqrt 2 (max(|S|, |S|^(1/2)) + lambda^(1-alpha)) t.
double bound_theorem_7(const OperatorSize&, double lambda, double t, double alpha);
/// The same with the constant of its proof: t (|S| + lambda)^(1-alpha).
double bound_theorem_7_sharper(const OperatorSize&, double lambda, double t, double alpha);

}  // namespace rfbench::dof
