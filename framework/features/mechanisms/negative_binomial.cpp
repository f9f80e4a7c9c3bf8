#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <vector>

#include "rfbench/features/mechanism_info.hpp"
#include "rfbench/features/mechanisms/discrete_mechanism.hpp"
#include "rfbench/features/mechanisms/law_parameters.hpp"
#include "rfbench/features/mechanisms/log_factor_sums.hpp"
#include "rfbench/features/mechanisms/tail_table.hpp"
#include "rfbench/theory/log_factorial.hpp"
#include "rfbench/theory/special.hpp"

namespace rfbench::features {
namespace {

/// log cosh w - w^2 / 2 by its series: up to w = 0.15 the next term is below 1e-13 of w^4 / 6, which the excess is at
/// least.
double cosh_remainder(double w) {
    const double z = w * w;
    return z * z *
           (-1.0 / 12 + z * (1.0 / 45 + z * (-17.0 / 2520 +
                                             z * (31.0 / 14175 + z * (-691.0 / 935550 + z * (10922.0 / 42567525))))));
}

/// exp(-w) cosh w
void scaled_cosh(Eigen::Ref<Eigen::ArrayXd> w) { w = 0.5 + 0.5 * (-2 * w).exp(); }

/// The quantile function: a table of the tails P(X > k) = I_q(k + 1, 1/2) = 1 - I_{1-q}(1/2, k + 1) (regularised
/// incomplete beta functions), made backwards by adding probabilities, and bisection beyond it.
class Quantile {
public:
    explicit Quantile(const Probability& q) : q_(q) {
        constexpr std::size_t max_table = 1 << 16;
        std::vector<double> law{std::sqrt(q.rest)};
        while (law.back() > 0x1p-60 * q.rest && law.size() < max_table) {
            const double k = static_cast<double>(law.size());
            law.push_back(law.back() * q.value * (k - 0.5) / k);
        }
        // From the last k down: the smallest are added first.
        tails_.resize(static_cast<Index>(law.size()));
        double tail = tail_at(static_cast<double>(law.size() - 1));
        for (Index k = tails_.size() - 1; k >= 0; --k) {
            tails_[k] = tail;
            tail += law[static_cast<std::size_t>(k)];
        }
    }

    double operator()(double u) const {
        const Index k = quantile_in(tails_, u);
        if (k < tails_.size()) return static_cast<double>(k);
        double low = static_cast<double>(k), high = 2 * low;
        while (tail_at(high) > 1 - u) low = high, high *= 2;
        // P(X > low) > 1 - u >= P(X > high), but for low = k, which may be the quantile itself.
        while (low < high) {
            // Above 2^53 not every whole number is a double: the middle of neighbours may be the upper one, and adding
            // 1 to the lower one may leave it.
            double middle = std::floor(low + 0.5 * (high - low));
            if (middle == high) middle = low;
            if (tail_at(middle) > 1 - u)
                low = std::max(middle + 1, std::nextafter(middle, high));
            else
                high = middle;
        }
        return low;
    }

private:
    double tail_at(double k) const { return boost::math::ibetac(0.5, k + 1, q_.rest); }

    Probability q_;
    Vector tails_;
};

class NegativeBinomial final : public DiscreteMechanism {
public:
    explicit NegativeBinomial(const Probability& q)
        : q_(q),
          log_q_(q.value < 0.5 ? std::log(q.value) : std::log1p(-q.rest)),
          log_rest_(q.rest < 0.5 ? std::log(q.rest) : std::log1p(-q.value)),
          rate_(2 / std::sqrt(q.value)),
          remainder_(q.value < 0.5 ? log1m_remainder(q.value) : -log_rest_ - q.value) {}

    Settings parameters() const override { return {{"q", q_.value}}; }
    std::function<double(Index, double)> quantile() const override {
        return [table = std::make_shared<const Quantile>(q_)](Index, double u) { return (*table)(u); };
    }
    double log_probability(Index, double k) const override {
        // (1/2)_k / k! = Gamma(k + 1/2) / (Gamma(1/2) Gamma(k + 1))
        return 0.5 * log_rest_ + k * log_q_ + theory::log_half_gamma(k) - theory::log_half_gamma(0) -
               theory::log_factorial(k);
    }

    /// -log(1 - q) / 2 + log cosh w - 2v, w = 2|v| / sqrt q. For small w the first orders, which nearly cancel, are
    /// gathered in a square.
    double log_excess(Index, double x, double y) const override {
        const double v = x * y, w = rate_ * std::abs(v);
        if (w > 0.15) return std::max(0.0, -0.5 * log_rest_ + theory::log_cosh(w) - 2 * v);
        const double gap = q_.value - 2 * v;
        return gap * gap / (2 * q_.value) + 0.5 * remainder_ + cosh_remainder(w);
    }
    void log_ratios(const PointsView& x, const PointsView& y, Eigen::Ref<Points> out) const override {
        log_factor_sums(rate_, scaled_cosh, x, y, out);
        out.array() -= 0.5 * log_rest_ * static_cast<double>(x.cols());
    }

private:
    Probability q_;
    double log_q_, log_rest_, rate_;
    double remainder_;  // -log(1 - q) - q
};

std::unique_ptr<MechanismWithMoments> fit_negative_binomial(const Statistics& statistics, const Settings& settings) {
    if (const auto q = setting_between(settings, "negative-binomial", "q", 0, 1))
        return std::make_unique<NegativeBinomial>(Probability{*q, 1 - *q});
    const Vector products = statistics.mean_absolute_product();
    return std::make_unique<NegativeBinomial>(best_probability([&](const Probability& q) {
        const NegativeBinomial law(q);
        double sum = 0;
        for (const double v : products) sum += law.log_excess(0, v, 1);
        return sum;
    }));
}

}  // namespace

const MechanismInfo& negative_binomial() {
    static const MechanismInfo info{
        .name = "negative-binomial",
        .paper_name = "ours",
        .summary = "signed monomials with powers from a negative binomial law, the best one for Gaussian coordinates",
        .features =
            "f(x) = exp(-|x|^2/2) prod_l x_l^w_l (w_l! p_w_l)^(-1/2) on both sides, p_k = (1-q)^(1/2) (1/2)_k q^k/k!",
        .variance = "E Z^2 = (1-q)^(-d/2) exp(-|x|^2 - |y|^2) prod_l cosh(2 |x_l y_l| / sqrt q)",
        .reference = "ours; discrete features: Likhosherstov 2022, (6.16)",
        .cost = "fit O((L + L' + 50) d); 1 real column a draw; O(d) and one exponential a feature",
        .parameters = {{"q", ParameterInfo::Type::real, "a number between 0 and 1",
                        "of the law; the optimum minimises E Z^2 with averages of |x_l y_l| in place of one pair's"}},
        .discrete = true,
        .fitted = [](const Settings& given) { return !given.contains("q"); },
        .fit = fit_negative_binomial};
    return info;
}

}  // namespace rfbench::features
