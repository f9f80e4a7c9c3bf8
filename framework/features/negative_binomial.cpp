#include "rfbench/features/negative_binomial.hpp"

#include <cmath>

#include "rfbench/features/discrete_mechanism.hpp"
#include "rfbench/theory/special.hpp"

namespace rfbench::features {
namespace {

/// log cosh w - w^2 / 2 for 0 <= w <= 0.3, by its series; the next term is below 1e-15 of the first.
double cosh_remainder(double w) {
    const double z = w * w;
    return z * z * (-1.0 / 12 + z * (1.0 / 45 + z * (-17.0 / 2520 + z * (31.0 / 14175 + z * (-691.0 / 935550 +
                                                                              z * (10922.0 / 42567525))))));
}

/// One coordinate's log(E Z^2 / K^2) for the product v: -log(1-q)/2 + log cosh(2|v| / sqrt q) - 2v. For small arguments
/// the first orders, which nearly cancel, are gathered in a square.
double excess(double q, double v) {
    const double w = 2 * std::abs(v) / std::sqrt(q);
    if (w > 0.3) return -0.5 * std::log1p(-q) + theory::log_cosh(w) - 2 * v;
    const double gap = q - 2 * v;
    return gap * gap / (2 * q) + 0.5 * log1m_remainder(q) + cosh_remainder(w);
}

class NegativeBinomial final : public DiscreteMechanism {
public:
    explicit NegativeBinomial(double q) : q_(q) {}

    Settings parameters() const override { return {{"q", q_}}; }
    std::function<double(Index, double)> quantile() const override {
        return [q = q_](Index, double u) {
            double p = std::sqrt(1 - q);
            double rest = u - p;
            double k = 0;
            // Where the sum of the law has reached 1 to rounding, the terms no longer count.
            for (; rest > 0 && p > 1e-20; ++k) {
                p *= q * (k + 0.5) / (k + 1);
                rest -= p;
            }
            return k;
        };
    }
    double log_probability(Index, double k) const override {
        // (1/2)_k / k! = Gamma(k + 1/2) / (Gamma(1/2) Gamma(k + 1))
        return 0.5 * std::log1p(-q_) + k * std::log(q_) + theory::log_gamma(k + 0.5) - theory::log_gamma(0.5) -
               theory::log_gamma(k + 1);
    }
    double log_excess(Index, double x, double y) const override { return excess(q_, x * y); }

private:
    double q_;
};

std::unique_ptr<Mechanism> fit_negative_binomial(const Statistics& statistics, const Settings& settings) {
    if (const auto q = setting_between(settings, "negative-binomial", "q", 0, 1))
        return std::make_unique<NegativeBinomial>(*q);
    const Vector products = statistics.mean_absolute_product();
    const auto probability = [](double z) { return 1 / (1 + std::exp(-z)); };
    const double z = minimise([&](double at) {
        double sum = 0;
        for (const double v : products) sum += excess(probability(at), v);
        return sum;
    });
    return std::make_unique<NegativeBinomial>(std::min(probability(z), 1 - 1e-12));
}

}  // namespace

const MechanismInfo& negative_binomial() {
    static const MechanismInfo info{
        .name = "negative-binomial",
        .paper_name = "ours",
        .summary = "signed monomials with powers from a negative binomial law, the best one for Gaussian coordinates",
        .features = "f(x) = exp(-|x|^2/2) prod_l x_l^w_l (w_l! p_w_l)^(-1/2) on both sides, p_k = (1-q)^(1/2) (1/2)_k q^k/k!",
        .variance = "E Z^2 = (1-q)^(-d/2) exp(-|x|^2 - |y|^2) prod_l cosh(2 |x_l y_l| / sqrt q)",
        .reference = "ours; discrete features: Likhosherstov 2022, (6.16)",
        .cost = "fit O((L + L' + 50) d); 1 real column a draw; O(d) and one exponential a feature",
        .parameters = {{"q", ParameterInfo::Type::real, "a number between 0 and 1",
                        "of the law; the optimum minimises E Z^2 with averages of |x_l y_l| in place of one pair's"}},
        .discrete = true,
        .fit = fit_negative_binomial};
    return info;
}

}  // namespace rfbench::features
