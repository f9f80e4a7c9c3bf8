#include "rfbench/features/mechanism_info.hpp"
#include "rfbench/features/mechanisms/dense_exponential.hpp"

namespace rfbench::features {
namespace {

std::unique_ptr<MechanismWithMoments> fit_optimal_positive(const Statistics& statistics, const Settings& settings) {
    const Index d = statistics.dimension();
    const double a = given_or_optimal_a("optimal-positive", settings, statistics.mean_square_sum(+1), d);
    return dense_exponential({.a = Vector::Constant(d, a)}, {{"A", a}});
}

}  // namespace

const MechanismInfo& optimal_positive() {
    static const MechanismInfo info{
        .name = "optimal-positive",
        .paper_name = "OPRF",
        .summary = "positive features with the real A of least variance: FAVOR++",
        .features = "f(x) = (1-4A)^{d/4} exp(A|w|^2 + sqrt(1-4A) w.x - |x|^2) on both sides, w ~ N(0, I)",
        .variance =
            "log E Z^2 = d L(rho) + rho |x+y|^2 - |x-y|^2, L(rho) = log((1+rho)/(2 sqrt(rho))), "
            "rho = 1/(1-8A)",
        .reference = "Likhosherstov 2022, Theorem 15; rho* by the corrected (6.14)",
        .cost = "fit in closed form from mean |x+y|^2; 1 real column a draw; O(d) and one exponential a feature",
        .parameters = {{.name = "A",
                        .type = ParameterInfo::Type::real,
                        .range = "real numbers below 1/8",
                        .meaning = "weight of |w|^2; fit: (1 - 1/rho*)/8, rho* = 2d/(2h + d + sqrt((2h+d)^2 + 8dh)), "
                                   "h = mean |x+y|^2"}},
        .positive = true,
        .differentiable = true,
        .fitted = [](const Settings& given) { return !given.contains("A"); },
        .couplings = {sampling::Coupling::orthogonal, sampling::Coupling::simplex, sampling::Coupling::antithetic},
        .fit = fit_optimal_positive};
    return info;
}

}  // namespace rfbench::features
