#include "rfbench/features/geometric.hpp"

#include <cmath>

#include "rfbench/features/discrete_mechanism.hpp"
#include "rfbench/features/shifted.hpp"
#include "rfbench/random/stream.hpp"
#include "rfbench/theory/special.hpp"

namespace rfbench::features {
namespace {

/// log I0(u) - u^2 / 4 for 0 <= u <= 0.4, by its series in z = u^2 / 4; the next term is below 1e-15 of the first.
double bessel_remainder(double u) {
    const double z = 0.25 * u * u;
    return z * z *
           (-1.0 / 4 + z * (1.0 / 9 + z * (-11.0 / 192 + z * (19.0 / 600 + z * (-473.0 / 25920 +
                                                                             z * (229.0 / 21168))))));
}

/// One coordinate's log(E Z^2 / K^2) for the product v: -log q + log I0(2|v| / sqrt(1 - q)) - 2v, with r = 1 - q. For
/// small arguments the first orders, which nearly cancel, are gathered in a square.
double excess(double r, double v) {
    const double u = 2 * std::abs(v) / std::sqrt(r);
    if (u > 0.4) return -std::log1p(-r) + theory::log_bessel_i0(u) - 2 * v;
    const double gap = r - v;
    return gap * gap / r + log1m_remainder(r) + bessel_remainder(u);
}

class Geometric final : public DiscreteMechanism {
public:
    /// r = 1 - q, which keeps its digits where q is near 1.
    explicit Geometric(double r) : r_(r) {}

    Settings parameters() const override { return {{"q", 1 - r_}}; }
    std::function<double(Index, double)> quantile() const override {
        // P(X > k) = r^(k+1): the smallest k with r^(k+1) <= 1 - u.
        return [log_r = std::log(r_)](Index, double u) {
            return std::max(0.0, std::ceil(std::log1p(-u) / log_r - 1));
        };
    }
    double log_probability(Index, double k) const override { return std::log1p(-r_) + k * std::log(r_); }
    double log_excess(Index, double x, double y) const override { return excess(r_, x * y); }

private:
    double r_;
};

std::unique_ptr<Mechanism> fit_geometric(const Statistics& statistics, const Settings& settings) {
    if (const auto q = setting_between(settings, "geometric", "q", 0, 1)) return std::make_unique<Geometric>(1 - *q);
    // r = 1 / (1 + exp(z)); the averages of |x_l y_l| take the place of one pair's (6.20), and the linear term, which
    // does not depend on r, that of their sum.
    const Vector products = statistics.mean_absolute_product();
    const auto ratio = [](double z) { return 1 / (1 + std::exp(z)); };
    const double z = minimise([&](double at) {
        double sum = 0;
        for (const double v : products) sum += excess(ratio(at), v);
        return sum;
    });
    return std::make_unique<Geometric>(ratio(z));
}

std::unique_ptr<Mechanism> fit_geometric_shifted(const Statistics& statistics, const Settings& settings) {
    return fit_shifted(statistics, settings, "geometric-shifted", fit_geometric);
}

const ParameterInfo q_parameter{"q", ParameterInfo::Type::real, "a number between 0 and 1",
                                "P(w_l = 0); the optimum minimises E Z^2 with averages of |x_l y_l| in place of one pair's"};

}  // namespace

const MechanismInfo& geometric() {
    static const MechanismInfo info{
        .name = "geometric",
        .paper_name = "GeomRF",
        .summary = "signed monomials of Taylor's series, with powers drawn from a geometric law",
        .features = "f(x) = q^(-d/2) exp(-|x|^2/2) prod_l x_l^w_l (1-q)^(-w_l/2) (w_l!)^(-1/2) on both sides, "
                    "P(w_l = k) = q (1-q)^k",
        .variance = "E Z^2 = q^-d exp(-|x|^2 - |y|^2) prod_l I0(2 |x_l y_l| / sqrt(1-q))",
        .reference = "Likhosherstov 2022, Theorem 17, (6.19), (6.20)",
        .cost = "fit O((L + L' + 50) d); 1 real column a draw; O(d) and one exponential a feature",
        .parameters = {q_parameter},
        .discrete = true,
        .fit = fit_geometric};
    return info;
}

const MechanismInfo& geometric_shifted() {
    static const MechanismInfo info{
        .name = "geometric-shifted",
        .paper_name = "GeomRF+",
        .summary = "geometric features after a shift that makes every coordinate positive",
        .features = "as geometric, of x - c and y - c, c_l = min_i min(x_il, y_il) - epsilon",
        .variance = "as geometric, of the shifted points",
        .reference = "Likhosherstov 2022, 6.4.3",
        .cost = "fit O((L + L' + 50) d); 1 real column a draw; O(d) and one exponential a feature",
        .parameters = {q_parameter, epsilon_parameter()},
        .positive = true,
        .discrete = true,
        .fit = fit_geometric_shifted};
    return info;
}

}  // namespace rfbench::features
