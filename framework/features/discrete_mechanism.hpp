#pragma once
// What the discretely induced features share (Likhosherstov 2022, 6.4): omega has independent integer coordinates with
// P(omega_l = k) = p_lk, and on both sides
//
//     f(omega, x) = exp(-|x|^2 / 2) prod_l x_l^{omega_l} (omega_l! p_{l, omega_l})^{-1/2},   0^0 = 1,
//
// so that E f(omega, x) f(omega, y) = K whatever the law, as long as every p_lk is positive. A law is all a mechanism of
// this family adds.
#include "rfbench/features/catalogue.hpp"

namespace rfbench::features {

class DiscreteMechanism : public Mechanism {
public:
    /// log P(omega_l = k), finite for every integer k >= 0.
    virtual double log_probability(Index l, double k) const = 0;
    /// The part of log(E Z^2 / K^2) that coordinate l contributes for the product v = x_l y_l: never negative.
    virtual double log_excess(Index l, double x, double y) const = 0;

    Index columns(Index count) const override { return count; }
    std::unique_ptr<FeatureMap> map(const Draw&) const override;
    Moments moments(const Pair&) const override;

    /// By one matrix product a coordinate over the series sum_k x^2k y^2k / (k!^2 p_k); pair by pair where points are so
    /// long that its terms leave the range of double.
    void log_variances(const PointsView& x, const PointsView& y, Eigen::Ref<Points> out) const override;
};

/// log(exp(excess) - 1), excess >= 0.
double log_expm1(double excess);

/// -log(1 - z) - z, 0 <= z < 1, without cancellation.
double log1m_remainder(double z);

/// The z in [-80, 80] that minimises a unimodal function (Brent 1973).
double minimise(const std::function<double(double)>& f);

/// A real setting in an open interval, or nothing when it is not given. Throws std::invalid_argument otherwise.
std::optional<double> setting_between(const Settings&, const char* mechanism, std::string_view name, double low,
                                      double high);

}  // namespace rfbench::features
