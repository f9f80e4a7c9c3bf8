#include <algorithm>
#include <stdexcept>

#include "rfbench/errors.hpp"
#include "rfbench/features/mechanism_info.hpp"
#include "rfbench/features/mechanisms/dense_exponential.hpp"

namespace rfbench::features {
namespace {

Vector given_or_mean_shift(const Statistics& statistics, const Settings& settings) {
    const auto given = settings.find("shift");
    if (given == settings.end()) return (statistics.x.mean + statistics.y.mean) / 2;
    const auto& values = std::get<std::vector<double>>(given->second);
    Vector shift = Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
    if (shift.size() != statistics.dimension() || !shift.allFinite())
        throw InputError("mechanism 'centred-optimal-positive', parameter 'shift': it takes " +
                         std::to_string(statistics.dimension()) + " finite numbers, one a coordinate; " +
                         std::to_string(shift.size()) + " were given");
    return shift;
}

std::unique_ptr<MechanismWithMoments> fit_centred_optimal_positive(const Statistics& statistics,
                                                                   const Settings& settings) {
    const Index d = statistics.dimension();
    const Vector shift = given_or_mean_shift(statistics, settings);
    // mean |x + y - 2 shift|^2
    const Vector means = statistics.x.mean + statistics.y.mean;
    const double spread = statistics.mean_square_sum(+1) - means.squaredNorm();
    const double square = std::max(0.0, spread) + (means - 2 * shift).squaredNorm();
    const double a = given_or_optimal_a("centred-optimal-positive", settings, square, d);
    return dense_exponential({.a = Vector::Constant(d, a), .query_centre = shift, .key_centre = shift},
                             {{"A", a}, {"shift", std::vector<double>(shift.begin(), shift.end())}});
}

}  // namespace

const MechanismInfo& centred_optimal_positive() {
    using Type = ParameterInfo::Type;
    static const MechanismInfo info{
        .name = "centred-optimal-positive",
        .paper_name = "centred OPRF",
        .summary = "optimal positive features after shifting both sets by the mean of their means",
        .features = "f(x) = (1-4A)^{d/4} exp(A|w|^2 + sqrt(1-4A) w.(x-c) - |x-c|^2) on both sides, w ~ N(0, I)",
        .variance =
            "log E Z^2 = d L(rho) + rho |x+y-2c|^2 - |x-y|^2, L(rho) = log((1+rho)/(2 sqrt(rho))), "
            "rho = 1/(1-8A)",
        .reference = "Likhosherstov 2022, Theorem 15, after a shift, which leaves K unchanged (ours)",
        .cost = "fit in closed form from means; 1 real column a draw; O(d) and one exponential a feature",
        .parameters = {{"A", Type::real, "real numbers below 1/8",
                        "weight of |w|^2; fit: (1 - 1/rho*)/8, rho* as for optimal-positive with h = mean |x+y-2c|^2"},
                       {"shift", Type::list, "d finite numbers",
                        "c, subtracted from every point; fit: (mean x + mean y)/2"}},
        .positive = true,
        .differentiable = true,
        .fitted = [](const Settings& given) { return !given.contains("A") || !given.contains("shift"); },
        .couplings = {sampling::Coupling::orthogonal, sampling::Coupling::simplex, sampling::Coupling::antithetic},
        .fit = fit_centred_optimal_positive};
    return info;
}

}  // namespace rfbench::features
