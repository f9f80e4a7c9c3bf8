#include <algorithm>
#include <cmath>

#include "rfbench/features/mechanism_info.hpp"
#include "rfbench/features/mechanisms/discrete_mechanism.hpp"
#include "rfbench/features/mechanisms/law_parameters.hpp"
#include "rfbench/features/mechanisms/log_factor_sums.hpp"
#include "rfbench/features/mechanisms/scaled_bessel_i0.hpp"
#include "rfbench/features/mechanisms/shifted.hpp"
#include "rfbench/theory/special.hpp"

namespace rfbench::features {
namespace {

/// log I0(u) - u^2 / 4 by its series in z = u^2 / 4: up to u = 0.2 the next term is below 1e-13 of z^2 / 4, which the
/// excess is at least.
double bessel_remainder(double u) {
    const double z = 0.25 * u * u;
    return z * z *
           (-1.0 / 4 +
            z * (1.0 / 9 + z * (-11.0 / 192 + z * (19.0 / 600 + z * (-473.0 / 25920 + z * (229.0 / 21168))))));
}

/// P(omega_l = k) = q r^k, r = 1 - q.
class Geometric final : public DiscreteMechanism {
public:
    explicit Geometric(const Probability& q)
        : q_(q.value),
          r_(q.rest),
          log_q_(q_ < 0.5 ? std::log(q_) : std::log1p(-r_)),
          log_r_(r_ < 0.5 ? std::log(r_) : std::log1p(-q_)),
          rate_(2 / std::sqrt(r_)),
          remainder_(-log_q_ - r_) {
        if (r_ < 0.5) remainder_ = log1m_remainder(r_);
    }

    Settings parameters() const override { return {{"q", q_}}; }
    std::function<double(Index, double)> quantile() const override {
        // P(X > k) = r^(k+1): the smallest k with r^(k+1) <= 1 - u.
        return [log_r = log_r_](Index, double u) { return std::max(0.0, std::ceil(std::log1p(-u) / log_r - 1)); };
    }
    double log_probability(Index, double k) const override { return log_q_ + k * log_r_; }

    /// -log q + log I0(u) - 2v, u = 2|v| / sqrt(r). For small u the first orders, which nearly cancel, are gathered in
    /// a square.
    double log_excess(Index, double x, double y) const override {
        const double v = x * y, u = rate_ * std::abs(v);
        if (u > 0.2) return std::max(0.0, -log_q_ + theory::log_bessel_i0(u) - 2 * v);
        const double gap = r_ - v;
        return gap * gap / r_ + remainder_ + bessel_remainder(u);
    }
    void log_ratios(const PointsView& x, const PointsView& y, Eigen::Ref<Points> out) const override {
        log_factor_sums(rate_, scaled_bessel_i0, x, y, out);
        out.array() -= log_q_ * static_cast<double>(x.cols());
    }

private:
    double q_, r_, log_q_, log_r_, rate_;
    double remainder_;  // -log q - r
};

std::unique_ptr<MechanismWithMoments> fit_law(const char* name, const Statistics& statistics,
                                              const Settings& settings) {
    if (const auto q = setting_between(settings, name, "q", 0, 1))
        return std::make_unique<Geometric>(Probability{*q, 1 - *q});
    // The averages of |x_l y_l| (6.20) take the place of one pair's in (6.19).
    const Vector products = statistics.mean_absolute_product();
    return std::make_unique<Geometric>(best_probability([&](const Probability& q) {
        const Geometric law(q);
        double sum = 0;
        for (const double v : products) sum += law.log_excess(0, v, 1);
        return sum;
    }));
}

std::unique_ptr<MechanismWithMoments> fit_geometric(const Statistics& statistics, const Settings& settings) {
    return fit_law("geometric", statistics, settings);
}

std::unique_ptr<MechanismWithMoments> fit_geometric_shifted(const Statistics& statistics, const Settings& settings) {
    return fit_shifted("geometric-shifted", statistics, settings, fit_law);
}

const ParameterInfo q_parameter{
    "q", ParameterInfo::Type::real, "a number between 0 and 1",
    "P(w_l = 0); the optimum minimises E Z^2 with averages of |x_l y_l| in place of one pair's"};

}  // namespace

const MechanismInfo& geometric() {
    static const MechanismInfo info{
        .name = "geometric",
        .paper_name = "GeomRF",
        .summary = "signed monomials of Taylor's series, with powers drawn from a geometric law",
        .features =
            "f(x) = q^(-d/2) exp(-|x|^2/2) prod_l x_l^w_l (1-q)^(-w_l/2) (w_l!)^(-1/2) on both sides, "
            "P(w_l = k) = q (1-q)^k",
        .variance = "E Z^2 = q^-d exp(-|x|^2 - |y|^2) prod_l I0(2 |x_l y_l| / sqrt(1-q))",
        .reference = "Likhosherstov 2022, Theorem 17, (6.19), (6.20)",
        .cost = "fit O((L + L' + 50) d); 1 real column a draw; O(d) and one exponential a feature",
        .parameters = {q_parameter},
        .discrete = true,
        .fitted = [](const Settings& given) { return !given.contains("q"); },
        .fit = fit_geometric};
    return info;
}

const MechanismInfo& geometric_shifted() {
    static const MechanismInfo info{
        .name = "geometric-shifted",
        .paper_name = "GeomRF+",
        .summary = "geometric features after a shift that makes every coordinate positive",
        .features = "as geometric, of x - c and y - c, c_l = min over both sets of the l-th coordinate, less epsilon",
        .variance = "as geometric, of the shifted points",
        .reference = "Likhosherstov 2022, 6.4.3",
        .cost = "fit O((L + L' + 50) d); 1 real column a draw; O(d) and one exponential a feature",
        .parameters = {q_parameter, epsilon_parameter()},
        .positive = true,
        .discrete = true,
        .fitted = always_fitted,
        .fit = fit_geometric_shifted};
    return info;
}

}  // namespace rfbench::features
