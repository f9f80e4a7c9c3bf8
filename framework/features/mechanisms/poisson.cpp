#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "rfbench/errors.hpp"
#include "rfbench/features/mechanism_info.hpp"
#include "rfbench/features/mechanisms/discrete_mechanism.hpp"
#include "rfbench/features/mechanisms/law_parameters.hpp"
#include "rfbench/features/mechanisms/shifted.hpp"
#include "rfbench/random/quantiles.hpp"
#include "rfbench/text/number.hpp"
#include "rfbench/theory/log_factorial.hpp"
#include "rfbench/theory/special.hpp"

namespace rfbench::features {
namespace {

/// lambda is not let fall below it where all products vanish: exp(lambda d) - 1, the relative variance of a pair whose
/// products do, is then far below rounding, and v^2 / lambda stays finite for every |v| below 1e140.
constexpr double min_lambda = 1e-18;

/// Nor is it taken above this, though the optimum may be there: log f, a difference of terms of the size lambda log
/// lambda, has a rounding error of 3e-5 there.
constexpr double max_lambda = max_poisson_mean;

class Poisson final : public DiscreteMechanism {
public:
    explicit Poisson(double lambda) : lambda_(lambda) {}

    Settings parameters() const override { return {{"lambda", lambda_}}; }
    std::function<double(Index, double)> quantile() const override {
        return [table = std::make_shared<const PoissonQuantile>(lambda_)](Index, double u) {
            return static_cast<double>((*table)(u));
        };
    }
    double log_probability(Index, double k) const override {
        return k * std::log(lambda_) - lambda_ - theory::log_factorial(k);
    }
    /// lambda + v^2 / lambda - 2v
    double log_excess(Index, double x, double y) const override {
        const double gap = lambda_ - x * y;
        return gap * gap / lambda_;
    }
    void log_ratios(const PointsView& x, const PointsView& y, Eigen::Ref<Points> out) const override {
        out.noalias() = (x.cwiseAbs2() / lambda_) * y.cwiseAbs2().transpose();
        out.array() += lambda_ * static_cast<double>(x.cols());
    }

private:
    double lambda_;
};

std::unique_ptr<MechanismWithMoments> fit_law(const char* name, const Statistics& statistics,
                                              const Settings& settings) {
    const auto given = setting_between(settings, name, "lambda", 0, std::numeric_limits<double>::infinity());
    if (given && *given > max_lambda)
        throw InputError(std::string(name) + ": lambda = " + shortest_text(*given) +
                         "; it must be above 0 and at most " + shortest_text(max_lambda));
    const double best = std::sqrt(statistics.mean_product_square() / static_cast<double>(statistics.dimension()));
    return std::make_unique<Poisson>(given.value_or(std::clamp(best, min_lambda, max_lambda)));
}

std::unique_ptr<MechanismWithMoments> fit_poisson(const Statistics& statistics, const Settings& settings) {
    return fit_law("poisson", statistics, settings);
}

std::unique_ptr<MechanismWithMoments> fit_poisson_shifted(const Statistics& statistics, const Settings& settings) {
    return fit_shifted("poisson-shifted", statistics, settings, fit_law);
}

const ParameterInfo lambda_parameter{
    "lambda", ParameterInfo::Type::real, "a number above 0, at most 1e10",
    "mean of the law; the optimum is sqrt(mean sum x_l^2 y_l^2 / d), from 1e-18 to 1e10"};

}  // namespace

const MechanismInfo& poisson() {
    static const MechanismInfo info{
        .name = "poisson",
        .paper_name = "PoisRF",
        .summary = "signed monomials of Taylor's series, with powers drawn from a Poisson law",
        .features =
            "f(x) = exp((lambda d - |x|^2)/2) prod_l x_l^w_l lambda^(-w_l/2) on both sides, w_l ~ Poisson(lambda)",
        .variance = "E Z^2 = exp(lambda d + sum_l x_l^2 y_l^2 / lambda - |x|^2 - |y|^2)",
        .reference = "Likhosherstov 2022, Theorem 16, (6.17), (6.18)",
        .cost = "fit O((L + L') d); 1 real column a draw; O(d) and one exponential a feature",
        .parameters = {lambda_parameter},
        .discrete = true,
        .fitted = [](const Settings& given) { return !given.contains("lambda"); },
        .fit = fit_poisson};
    return info;
}

const MechanismInfo& poisson_shifted() {
    static const MechanismInfo info{
        .name = "poisson-shifted",
        .paper_name = "PoisRF+",
        .summary = "Poisson features after a shift that makes every coordinate positive",
        .features = "as poisson, of x - c and y - c, c_l = min over both sets of the l-th coordinate, less epsilon",
        .variance = "as poisson, of the shifted points",
        .reference = "Likhosherstov 2022, 6.4.3",
        .cost = "fit O((L + L') d); 1 real column a draw; O(d) and one exponential a feature",
        .parameters = {lambda_parameter, epsilon_parameter()},
        .positive = true,
        .discrete = true,
        .fitted = always_fitted,
        .fit = fit_poisson_shifted};
    return info;
}

}  // namespace rfbench::features
