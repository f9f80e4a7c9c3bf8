#include "rfbench/decompositions/symmetric_eigen.hpp"
#include "rfbench/features/mechanism_info.hpp"
#include "rfbench/features/mechanisms/dense_exponential.hpp"

namespace rfbench::features {
namespace {

std::unique_ptr<MechanismWithMoments> fit_dense_symmetric(const Statistics& statistics, const Settings& settings) {
    // mean (x + y)(x + y)' = V Lambda V'
    const Eigen::MatrixXd cross = statistics.x.mean * statistics.y.mean.transpose();
    auto [moments, axes] = decompositions::symmetric_eigen(statistics.x.second_moment + statistics.y.second_moment +
                                                           cross + cross.transpose());
    orient(axes);
    const Vector a = given_or_optimal_axes("dense-symmetric", settings, moments);
    return dense_exponential({axes.transpose(), axes.transpose(), a}, {{"A", std::vector<double>(a.begin(), a.end())}});
}

}  // namespace

const MechanismInfo& dense_symmetric() {
    static const MechanismInfo info{
        .name = "dense-symmetric",
        .paper_name = "SDERF",
        .summary = "positive features with one A for each principal axis of x + y",
        .features =
            "f(x) = det(I-4A)^{1/4} exp(w'Aw + w'(I-4A)^{1/2} V'x - |x|^2) on both sides, A diagonal, "
            "w ~ N(0, I)",
        .variance =
            "log E Z^2 = sum_i [L(rho_i) + rho_i m_i^2] - |x-y|^2, m = V'(x+y), "
            "L(rho) = log((1+rho)/(2 sqrt(rho))), rho_i = 1/(1-8A_i)",
        .reference = "Likhosherstov et al. 2023 (FAVOR#)",
        .cost = "fit O(d^3) from second moments; 1 real column a draw; O(d) and one exponential a feature",
        .parameters = {{.name = "A",
                        .type = ParameterInfo::Type::list,
                        .range = "d real numbers below 1/8, one a principal axis, axes by ascending moment",
                        .meaning = "diagonal weights of w_i^2; fit: (1 - 1/rho*)/8 with rho* for the eigenvalue of "
                                   "mean (x+y)(x+y)' = V Lambda V' and one dimension"}},
        .positive = true,
        .differentiable = true,
        .fitted = always_fitted,
        .couplings = {sampling::Coupling::antithetic},
        .fit = fit_dense_symmetric};
    return info;
}

}  // namespace rfbench::features
