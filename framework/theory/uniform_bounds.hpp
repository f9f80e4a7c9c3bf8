#pragma once
// The papers' bounds on the error over whole balls of points, and on the entries of the attention matrix A = exp(Q K' /
// sqrt d), as printed and as corrected (docs/mechanisms.md, errata). d: dimension; error: eps.
#include "rfbench/matrix.hpp"

namespace rfbench::theory {

/// Theorem 2 with its constant (Rahimi and Recht 2007, Claim 1, at diameter 2R and E|w|^2 = d): log of
/// 2^10 d (R/eps)^2 exp(-M eps^2 / (4(d+2))) >= P(sup |K^ - K| >= eps over |x|, |y| <= R), trigonometric features.
double log_theorem_2(Index d, Index count, double radius, double error);
/// The number of features at which that bound falls to `probability`; not rounded.
double features_by_theorem_2(Index d, double radius, double error, double probability);

/// Theorem 4 without its constant: the number of trigonometric features for an error of at most eps in every entry of
/// A, |Q_i|, |K_j| <= R. With r = R^2/sqrt(d): d eps^-2 exp(r) (log(4 R d^(3/4) / eps) + r) as printed.
double order_of_theorem_4_printed(Index d, double radius, double error);
/// The same with exp(2 r), by its proof.
double order_of_theorem_4(Index d, double radius, double error);

/// Theorem 21 without its constant, for generalized exponential features with t = +1 and A < 0:
/// b1 d eps^-2 log(b2 b3 / eps), b1 = exp(-3 r/A), b2 = sqrt(2 r), b3 = 2 (1-4A)^(d/2) sqrt(b1 (r + d^2)) as printed.
/// Throws std::invalid_argument unless A < 0.
double order_of_theorem_21_printed(Index d, double radius, double error, double a);
/// The same with b1 = (1-4A)^d exp((2 + 1/|A|) r), by its proof: the features are as large as (1-4A)^(d/2) even at R =
/// 0.
double order_of_theorem_21(Index d, double radius, double error, double a);

}  // namespace rfbench::theory
