#include "rfbench/features/poisson.hpp"

#include <cmath>
#include <limits>

#include "rfbench/features/discrete_mechanism.hpp"
#include "rfbench/features/shifted.hpp"
#include "rfbench/random/stream.hpp"
#include "rfbench/theory/special.hpp"

namespace rfbench::features {
namespace {

/// Below it lambda is not let fall where all products vanish: the variance exp(lambda d) - 1 is then lost in rounding.
constexpr double least_lambda = 1e-18;

class Poisson final : public DiscreteMechanism {
public:
    explicit Poisson(double lambda) : lambda_(lambda) {}

    Settings parameters() const override { return {{"lambda", lambda_}}; }
    std::function<double(Index, double)> quantile() const override {
        return [lambda = lambda_](Index, double u) { return static_cast<double>(poisson_quantile(lambda, u)); };
    }
    double log_probability(Index, double k) const override {
        return k * std::log(lambda_) - lambda_ - theory::log_gamma(k + 1);
    }
    /// lambda + v^2 / lambda - 2v
    double log_excess(Index, double x, double y) const override {
        const double gap = lambda_ - x * y;
        return gap * gap / lambda_;
    }

    void log_variances(const PointsView& x, const PointsView& y, Eigen::Ref<Points> out) const override {
        // E Z^2 = exp(lambda d + sum x^2 y^2 / lambda - s): one matrix product of squares.
        const Points squares_x = x.array().square();
        const Points squares_y = y.array().square();
        const Points products = squares_x * squares_y.transpose();
        const Points inner = x * y.transpose();
        const double constant = lambda_ * static_cast<double>(x.cols());
        for (Index i = 0; i < x.rows(); ++i)
            for (Index j = 0; j < y.rows(); ++j) {
                const double excess = constant + products(i, j) / lambda_ - 2 * inner(i, j);
                const double largest = constant + products(i, j) / lambda_ + 2 * std::abs(inner(i, j));
                out(i, j) = excess < 1e-4 * largest
                                ? moments(Pair(x.row(i).data(), y.row(j).data(), x.cols())).log_variance
                                : log_expm1(excess) - (x.row(i) - y.row(j)).squaredNorm();
            }
    }

private:
    double lambda_;
};

std::unique_ptr<Mechanism> fit_poisson(const Statistics& statistics, const Settings& settings) {
    const auto given = setting_between(settings, "poisson", "lambda", 0, std::numeric_limits<double>::infinity());
    const double best = std::sqrt(statistics.mean_product_square() / static_cast<double>(statistics.dimension()));
    return std::make_unique<Poisson>(given.value_or(std::max(best, least_lambda)));
}

std::unique_ptr<Mechanism> fit_poisson_shifted(const Statistics& statistics, const Settings& settings) {
    return fit_shifted(statistics, settings, "poisson-shifted", fit_poisson);
}

const ParameterInfo lambda_parameter{"lambda", ParameterInfo::Type::real, "any number above 0",
                                     "mean of the law; the optimum is sqrt(mean sum x_l^2 y_l^2 / d)"};

}  // namespace

const MechanismInfo& poisson() {
    static const MechanismInfo info{
        .name = "poisson",
        .paper_name = "PoisRF",
        .summary = "signed monomials of Taylor's series, with powers drawn from a Poisson law",
        .features = "f(x) = exp((lambda d - |x|^2)/2) prod_l x_l^w_l lambda^(-w_l/2) on both sides, w_l ~ Poisson(lambda)",
        .variance = "E Z^2 = exp(lambda d + sum_l x_l^2 y_l^2 / lambda - |x|^2 - |y|^2)",
        .reference = "Likhosherstov 2022, Theorem 16, (6.17), (6.18)",
        .cost = "fit O((L + L') d); 1 real column a draw; O(d) and one exponential a feature",
        .parameters = {lambda_parameter},
        .discrete = true,
        .fit = fit_poisson};
    return info;
}

const MechanismInfo& poisson_shifted() {
    static const MechanismInfo info{
        .name = "poisson-shifted",
        .paper_name = "PoisRF+",
        .summary = "Poisson features after a shift that makes every coordinate positive",
        .features = "as poisson, of x - c and y - c, c_l = min_i min(x_il, y_il) - epsilon",
        .variance = "as poisson, of the shifted points",
        .reference = "Likhosherstov 2022, 6.4.3",
        .cost = "fit O((L + L') d); 1 real column a draw; O(d) and one exponential a feature",
        .parameters = {lambda_parameter, epsilon_parameter()},
        .positive = true,
        .discrete = true,
        .fit = fit_poisson_shifted};
    return info;
}

}  // namespace rfbench::features
