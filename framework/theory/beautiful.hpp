#pragma once
// Beautiful functions F(z) = E G(w.z) with an isotropic w and a power series G without negative coefficients, and their
// form G(u.z, |w|) with coefficients that depend on the length (Likhosherstov 2022, Definition 2, Theorems 9 to 11 and
// 19): exact moments of estimates by orthogonal draws. d: dimension, 2 or more; a block has M <= d draws.
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "rfbench/matrix.hpp"

namespace rfbench::theory {

/// The law of |w| by nodes: E f(|w|) = sum of weight[i] f(length[i]). All but the last are scaled to E |w|^2 = d.
struct Lengths {
    std::vector<double> length, weight;
    bool bounded;  ///< the nodes are the law itself

    double second_moment() const;
};
Lengths constant_length(Index d);             ///< sqrt(d): regularized features
Lengths two_lengths(Index d, double p);       ///< sqrt(d / p) with probability p, 0 otherwise
Lengths chi_length(Index d, double degrees);  ///< chi(degrees) times sqrt(d / degrees); d: Gaussian
Lengths log_normal_length(Index d, double log_deviation);

/// G(x, y) = sum of c_k(y) x^k at x = w.z, y = |w|; all that have one argument in print do not depend on y.
struct BeautifulFunction {
    std::string name, formula;
    std::function<double(int k, double y)> log_coefficient;  ///< log c_k(y); -infinity for 0
    std::function<double(double x, double y)> value;
    double radius = std::numeric_limits<double>::infinity();  ///< of convergence in x
};
/// exp, exp-small and exp-large (exp over and times 32: a_0 and a_1 other than 1), cosh, square, fourth, reciprocal
/// 1 / (1 - x/8), and tilted, of generalized exponential features with A = -1/8.
const std::vector<BeautifulFunction>& beautiful_functions();

/// Moments of Z = G(w.z, |w|) at |z|, and what orthogonal draws take off.
struct BeautifulMoments {
    double mean, at_origin;  ///< F(z), F(0)
    double variance;         ///< of Z
    double reduction;        ///< (E Z)^2 - E Z_1 Z_2 of two draws at right angles, never below zero
};
/// By series in |z|; all NaN where they do not converge, or where x may leave their radius.
BeautifulMoments beautiful_moments(const BeautifulFunction&, const Lengths&, Index d, double norm);

/// The lower bound 2 (F(z) - F(0))^2 / (d + 2) of Theorems 11 and 19 on the reduction.
double min_reduction(const BeautifulMoments&, Index d);

/// E exp(phi (Z_1 + ... + Z_M)) of `count` draws at right angles, 2 or 3, and of independent ones, by quadrature over
/// angles and all lengths. For bounded lengths.
struct GeneratingFunctions {
    double orthogonal, independent;
};
GeneratingFunctions generating_functions(const BeautifulFunction&, const Lengths&, Index d, Index count, double norm,
                                         double phi);

/// Theorem 10: what is taken off E exp(phi Z)^M, phi^4 M(M-1) a_1^2 a_0^(M-2) |z|^4 (E|w|^2)^2 / (4 d^2 (d+2)), as
/// printed; and with a_1^4, by its proof.
double subtracted_theorem_10_printed(const BeautifulFunction&, const Lengths&, Index d, Index count, double norm,
                                     double phi);
double subtracted_theorem_10(const BeautifulFunction&, const Lengths&, Index d, Index count, double norm, double phi);

}  // namespace rfbench::theory
