#pragma once
// How far the M-projection estimate of a learned kernel, (1/m) sum phi(w_i, x).phi(w_i, y) with w_i ~ N(0, I), is from
// its mean (Shahbazi et al. 2025, section 9.3), as printed and as corrected (docs/mechanisms.md, errata 45 and 46).
#include "rfbench/matrix.hpp"

namespace rfbench::theory {

/// Size of a feature w -> phi(w, x): the least upper bound of |phi| and the Lipschitz constant in w.
struct FeatureSize {
    double sup, lipschitz;
};

/// The Lipschitz constant of w -> phi(w, x).phi(w, y), Lemma 9 and Corollary 1 as printed: max sup max lipschitz^2.
double product_lipschitz_lemma_9(const FeatureSize& x, const FeatureSize& y);
/// The same, Proposition 9 as printed: max sup max lipschitz.
double product_lipschitz_proposition_9(const FeatureSize& x, const FeatureSize& y);
/// Corrected form: sup_x lipschitz_y + sup_y lipschitz_x.
double product_lipschitz(const FeatureSize& x, const FeatureSize& y);

/// Proposition 8: log of 2 exp(-m eps^2 / (2 L^2)) >= P(|error| >= eps) for the mean of m values of an L-Lipschitz
/// function.
double log_gaussian_concentration(Index count, double error, double lipschitz);

/// The bound on E error^2, (39) as printed: L / m.
double mean_square_39_printed(Index count, double lipschitz);
/// The same by Proposition 8: L^2 / m.
double mean_square_proposition_8(Index count, double lipschitz);

/// m min(eps^2 / S^2, eps / S): the exponent, up to an absolute constant, of the tail of the mean of m sub-exponential
/// values of scale S.
double sub_exponential_exponent(Index count, double error, double scale);

/// A Lipschitz function of a standard normal vector, unbounded: its Lipschitz constant and mean.
struct UnboundedFeature {
    double lipschitz, mean;
};

/// The scale S of a product f1 f2, Proposition 10 and Corollary 2 as printed: L1 L2, which holds where both means are
/// zero.
double product_scale_proposition_10(const UnboundedFeature&, const UnboundedFeature&);
/// Corrected form: L1 L2 + |E f1| L2 + |E f2| L1.
double product_scale(const UnboundedFeature&, const UnboundedFeature&);

/// The Orlicz norm of a product, inf K with E exp(|f1 f2| / K) <= 2, is at most L1 L2 by Proposition 11 as printed.
double product_norm_proposition_11(const UnboundedFeature&, const UnboundedFeature&);
/// Corrected form: (sqrt(8/3) L1 + |E f1| / sqrt(log 2)) (sqrt(8/3) L2 + |E f2| / sqrt(log 2)). The norm of a centred f
/// by exp(f^2 / K^2) is at most sqrt(8/3) L, that of w itself, and a constant's is |c| / sqrt(log 2).
double product_norm(const UnboundedFeature&, const UnboundedFeature&);

/// (42) as printed: m min(eps / L^2, eps / L), where Corollary 2 gives sub_exponential_exponent(m, eps, L^2).
double exponent_42_printed(Index count, double error, double lipschitz);

/// Network features h_NN clip(psi_NN, -M, M) that stand for h psi on a compact set (section 9.2, Propositions 4 and 5).
struct Parametrization {
    double error;     ///< epsilon, of h and of psi over the compact set and all w in A
    double envelope;  ///< sup |h|
    double channel;   ///< sup |psi|
    double channels;  ///< D, components of psi
    double outside;   ///< P(w not in A)
};
/// The bound B on E |phi - phi_NN|^2 by (26) to (29) as printed: B1 + B2 + B3 with M = sup |h psi|, sup h P for B2, and
/// (sup h + epsilon)^2 M P for B3.
double parametrization_square_printed(const Parametrization&);
/// Corrected form: M = sup |psi|, which alone bounds what is clipped; twice the squares outside of A, (sup h M)^2 P and
/// (sup h + epsilon)^2 D M^2 P.
double parametrization_square(const Parametrization&);
/// Error of the kernel, by (24): 2 sqrt(B) sqrt(sup k(x, x)) + B.
double parametrization_error(double square, double largest_kernel);

}  // namespace rfbench::theory
