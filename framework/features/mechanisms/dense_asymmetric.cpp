#include "rfbench/decompositions/symmetric_eigen.hpp"
#include "rfbench/features/mechanism_info.hpp"
#include "rfbench/features/mechanisms/dense_exponential.hpp"

namespace rfbench::features {
namespace {

std::unique_ptr<MechanismWithMoments> fit_dense_asymmetric(const Statistics& statistics, const Settings& settings) {
    const Index d = statistics.dimension();
    const Eigen::MatrixXd &m1 = statistics.x.second_moment, &m2 = statistics.y.second_moment;

    // T = S^{1/2} and T^-T = S^{-1/2}, symmetric, by one decomposition so that they are inverse to rounding.
    const Eigen::MatrixXd balancing = balancing_transform(m1, m2, 0).query;
    const auto s = decompositions::symmetric_eigen(balancing.transpose() * balancing);
    const Vector root = s.values.cwiseSqrt();
    const Eigen::MatrixXd& axes = s.vectors;
    const Eigen::MatrixXd transform = axes * root.asDiagonal() * axes.transpose();
    const Eigen::MatrixXd inverse = axes * root.cwiseInverse().asDiagonal() * axes.transpose();

    // h = mean |Tx + T^-T y|^2 for this very T
    const double square = (transform * m1).cwiseProduct(transform).sum() + (inverse * m2).cwiseProduct(inverse).sum() +
                          2 * statistics.x.mean.dot(statistics.y.mean);
    const double a = given_or_optimal_a("dense-asymmetric", settings, square, d);
    return dense_exponential({transform, inverse, Vector::Constant(d, a)}, {{"A", a}});
}

}  // namespace

const MechanismInfo& dense_asymmetric() {
    static const MechanismInfo info{
        .name = "dense-asymmetric",
        .paper_name = "ADERF",
        .summary = "optimal positive features of Tx and T^-T y: balances unlike sets",
        .features =
            "f1 = (1-4A)^{d/4} exp(A|w|^2 + sqrt(1-4A) w.Tx - (|x|^2 + |Tx|^2)/2), f2 the same with T^-T y, "
            "w ~ N(0, I)",
        .variance =
            "log E Z^2 = d L(rho) + rho |Tx + T^-T y|^2 - |x-y|^2, L(rho) = log((1+rho)/(2 sqrt(rho))), "
            "rho = 1/(1-8A)",
        .reference = "Likhosherstov et al. 2023 (FAVOR#)",
        .cost = "fit O(d^3) from second moments; 1 real column a draw; O(d) and one exponential a feature",
        .parameters = {{.name = "A",
                        .type = ParameterInfo::Type::real,
                        .range = "real numbers below 1/8",
                        .meaning =
                            "weight of |w|^2; fit: (1 - 1/rho*)/8, rho* as for optimal-positive with "
                            "h = mean |Tx + T^-T y|^2; T is fitted always: T'T = M1^{-1/2} (M1^{1/2} M2 "
                            "M1^{1/2})^{1/2} M1^{-1/2}, M1 and M2 with a ridge of 1e-9 of their mean eigenvalue"}},
        .positive = true,
        .differentiable = true,
        .fitted = always_fitted,
        .couplings = {sampling::Coupling::orthogonal, sampling::Coupling::simplex, sampling::Coupling::antithetic},
        .fit = fit_dense_asymmetric};
    return info;
}

}  // namespace rfbench::features
