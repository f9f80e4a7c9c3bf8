#pragma once
// The mechanisms, in the order in which they are shown. Each has a file of its name in mechanisms/; catalogue.cpp makes
// the list of them.
#include "rfbench/features/mechanism_info.hpp"

namespace rfbench::features {

/// Trigonometric features (TrigRF; Rahimi and Recht 2007): f1 = exp(i w.x), f2 = exp(-i w.y).
const MechanismInfo& trigonometric();

/// Cosines with a random phase (Rahimi and Recht 2007): f(x) = sqrt(2) cos(w.x + b), b uniform on (0, 2 pi).
const MechanismInfo& cosine_phase();

/// Positive features (PosRF; Choromanski et al. 2021): f(x) = exp(w.x - |x|^2) on both sides.
const MechanismInfo& positive();

/// Regularized features (RegRF; Choromanski et al. 2021): f(x) = exp(sqrt(d) w.x / |w| - |x|^2) on both sides.
const MechanismInfo& regularized();

/// Hybrid features (HybRF): trigonometric and positive estimates mixed by a random-feature estimate of the angle,
/// (1 + a)/2 T + (1 - a)/2 P (Likhosherstov 2022, (6.4)), in the feature form (6.6) with dimension (M3 + 1)(M1 + M2).
const MechanismInfo& hybrid();

/// Generalized exponential features (GERF; Likhosherstov 2022, Theorems 13 and 14): D exp(A|w|^2 + B w.x + C|x|^2) and
/// the same with tB, A complex, t = +1 or -1. A = 0 gives positive (t = +1) and trigonometric features (t = -1).
const MechanismInfo& generalized_exponential();

/// Optimal positive features (OPRF; Likhosherstov 2022, Theorem 15): f(x) = D exp(A|w|^2 + B w.x - |x|^2), A real.
const MechanismInfo& optimal_positive();

/// Optimal positive features of points shifted by the mean of the two sets' means: K depends on x - y alone.
const MechanismInfo& centred_optimal_positive();

/// Poisson features (PoisRF): omega_l ~ Poisson(lambda) (Likhosherstov 2022, 6.4.1).
const MechanismInfo& poisson();

/// Geometric features (GeomRF): P(omega_l = k) = q (1 - q)^k (Likhosherstov 2022, 6.4.2).
const MechanismInfo& geometric();

/// PoisRF+: the same after a shift that makes all coordinates, and so all features, positive (6.4.3).
const MechanismInfo& poisson_shifted();

/// GeomRF+: the same after a shift that makes all coordinates, and so all features, positive (6.4.3).
const MechanismInfo& geometric_shifted();

/// Discrete features with the law of each coordinate that minimises the mean of E Z^2 over all pairs of two sets:
/// p_lk prop. to sqrt(E Poisson(k; x_l^2) E Poisson(k; y_l^2)). Answers the open question of Likhosherstov 2022, 6.4.2.
const MechanismInfo& optimal_discrete();

/// Discrete features with a negative binomial law, P(omega_l = k) = (1-q)^(1/2) (1/2)_k q^k / k!: the law that is
/// optimal for Gaussian coordinates. Not in the papers.
const MechanismInfo& negative_binomial();

/// ADERF: the optimal positive features of Tx and T^-T y, with T balancing the second moments of the two sets.
const MechanismInfo& dense_asymmetric();

/// SDERF: features on the principal axes of x + y, with one A an axis.
const MechanismInfo& dense_symmetric();

/// Centred DERF, the optimum of the whole dense family: balanced, on principal axes, and centred at the two means.
const MechanismInfo& dense_centred();

/// Positive fixed features (PFF; Chen et al. 2024, (9)): f(x) = exp(r v.x - |x|^2) on both sides, v = w / |w|, with the
/// printed r = Phi^{-1}(t), t = P(chi(d) <= |w|). With r = |w| they are the features of `positive`.
const MechanismInfo& positive_fixed();

/// Weighted positive fixed features (WPFF; Chen et al. 2024, (10)): f_m(x) = D_m exp(w_m.x - |x|^2) on both sides,
/// D_m^2 fitted to the draw (fitted_weights.hpp).
const MechanismInfo& positive_weighted();

/// Weighted discrete cosine features (WDCF; Chen et al. 2024, (12)): f_j(x) = D_j exp(T_j c_j.x - |x|^2/2), c_j the
/// directions drawn (sampling dct or dct-columns), T_j = Phi^{-1}(t_j). Of the softmax kernel they are D_j exp(T_j
/// c_j.q): the paper leaves out |q|^2 / 2. As released, softmax over j in place of the weights D.
const MechanismInfo& discrete_cosine();

/// Positive features at given points with given weights, such as training leaves behind
/// (rfbench/training/point_training.hpp): f_m(x) = exp(z_m.x - |x|^2 + log alpha_m / 2) for one unit of all M points.
/// Without points they are the positive features of the draw.
const MechanismInfo& learned_points();

/// A learned map phi (rfbench/features/maps/learned_map.hpp; Shahbazi et al. 2025, (11)) for queries and keys. As a
/// Gaussian mechanism it is f(x) = phi(d^(1/4) x) exp(-|x|^2 / 2) on both sides, so that attention uses phi itself. It
/// estimates the kernel it was trained for. With trained parameters all m L features are one unit. Without them it is
/// the map at initialization: the draws are its projections, and each draw has L features.
const MechanismInfo& luna();

}  // namespace rfbench::features
