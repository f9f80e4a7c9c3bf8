#pragma once
// Shared parts of discretely induced features (Likhosherstov 2022, 6.4): omega has independent integer coordinates with
// P(omega_l = k) = p_lk, and on both sides
//
//     f(omega, x) = exp(-|x|^2 / 2) prod_l x_l^{omega_l} (omega_l! p_{l, omega_l})^{-1/2},   0^0 = 1,
//
// so that E f(omega, x) f(omega, y) = K whatever the law, as long as every p_lk is positive, and
//
//     E Z^2 = exp(-|x|^2 - |y|^2) prod_l R_l(x_l y_l),   R_l(v) = sum_k v^2k / (k!^2 p_lk) >= exp(2v).
//
// A law is all a mechanism of this family adds.
#include "rfbench/features/mechanism_info.hpp"

namespace rfbench::features {

/// A law of integers, from which features, moments and variances follow.
class DiscreteMechanism : public MechanismWithMoments {
public:
    /// log P(omega_l = k), finite for every integer k >= 0.
    virtual double log_probability(Index l, double k) const = 0;
    /// log R_l(x y) - 2 x y, never negative: what coordinate l adds to log(E Z^2 / K^2). Accurate relative to itself.
    virtual double log_excess(Index l, double x, double y) const = 0;
    /// out(i, j) = sum_l log R_l(x_il y_jl). x: n x d, y: n' x d, out: n x n'.
    virtual void log_ratios(const PointsView& x, const PointsView& y, Eigen::Ref<Points> out) const = 0;

    Index columns(Index count) const override { return count; }
    std::unique_ptr<FeatureMap> map(const Draw&) const override;
    Moments moments(const Pair&) const override;
    /// From log_ratios by tiles of rows; from moments() where the excess is a small difference of large numbers, so
    /// that the error of log Var stays below about 1e-11 plus an ulp of log Var.
    void log_variances(const PointsView& x, const PointsView& y, Eigen::Ref<Points> out) const override;
};

}  // namespace rfbench::features
