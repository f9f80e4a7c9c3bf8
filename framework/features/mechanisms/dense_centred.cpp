#include "rfbench/features/mechanism_info.hpp"
#include "rfbench/features/mechanisms/dense_exponential.hpp"

namespace rfbench::features {
namespace {

std::unique_ptr<MechanismWithMoments> fit_dense_centred(const Statistics& statistics, const Settings& settings) {
    // Covariances are differences of second moments, and carry their rounding errors.
    constexpr double relative_rounding = 1e-13;
    const double rounding = relative_rounding * (statistics.x.mean_square_norm() + statistics.y.mean_square_norm()) /
                            (2 * static_cast<double>(statistics.dimension()));
    const BalancingTransform balancing =
        balancing_transform(statistics.x.covariance(), statistics.y.covariance(), rounding);

    // Along each axis both sets have variance sigma_i, and their sum 2 sigma_i.
    const Vector a = given_or_optimal_axes("dense-centred", settings, 2 * balancing.singular);
    return dense_exponential({balancing.query, balancing.key, a, statistics.x.mean, statistics.y.mean},
                             {{"A", std::vector<double>(a.begin(), a.end())}});
}

}  // namespace

const MechanismInfo& dense_centred() {
    static const MechanismInfo info{
        .name = "dense-centred",
        .paper_name = "centred DERF",
        .summary = "the optimum of the dense family: balanced, on principal axes, centred at both means",
        .features =
            "f1 = det(I-4A)^{1/4} exp(w'Aw + w'(I-4A)^{1/2} (Tx - c/2) - (|x|^2 + |Tx|^2)/2 + c.Tx - |c|^2/4), "
            "f2 the same with T^-T y, c = T mean x + T^-T mean y, A diagonal, w ~ N(0, I)",
        .variance =
            "log E Z^2 = sum_i [L(rho_i) + rho_i m_i^2] - |x-y|^2, m = Tx + T^-T y - c, "
            "L(rho) = log((1+rho)/(2 sqrt(rho))), rho_i = 1/(1-8A_i)",
        .reference = "Likhosherstov et al. 2023 (FAVOR#), centred (ours)",
        .cost = "fit O(d^3) from covariances; 1 real column a draw; O(d) and one exponential a feature",
        .parameters = {{.name = "A",
                        .type = ParameterInfo::Type::list,
                        .range = "d real numbers below 1/8, one a balanced axis, axes by descending variance",
                        .meaning = "diagonal weights of w_i^2; fit: (1 - 1/rho*)/8 with rho* for twice the singular "
                                   "value of L2'L1 (Cholesky factors of the covariances, with a ridge of 1e-9 of their "
                                   "mean eigenvalue) and one dimension"}},
        .positive = true,
        .differentiable = true,
        .fitted = always_fitted,
        .couplings = {sampling::Coupling::antithetic},
        .fit = fit_dense_centred};
    return info;
}

}  // namespace rfbench::features
