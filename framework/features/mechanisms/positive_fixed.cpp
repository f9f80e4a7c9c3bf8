#include "rfbench/features/mechanisms/positive_fixed.hpp"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "rfbench/features/maps/cosine_map.hpp"
#include "rfbench/random/quantiles.hpp"
#include "rfbench/theory/special.hpp"

namespace rfbench::features {
namespace {

/// log E exp(r v.z) = log 1F1(1/2; d/2; q/2) at |z|^2 = q: v.z squared is q times a Beta(1/2, (d-1)/2) variable.
double log_mean_factor(double d, double q) { return theory::log_hypergeometric_1f1(0.5, 0.5 * d, 0.5 * q); }

class PositiveFixed final : public MechanismWithMoments {
public:
    Settings parameters() const override { return {}; }
    Index columns(Index count) const override { return count; }

    std::unique_ptr<FeatureMap> map(const Draw& draw) const override {
        return cosine_or_dense_map({with_normal_radii(draw.omega), Vector::Zero(draw.omega.cols()), {.isotropic = -1}});
    }

    Moments moments(const Pair& pair) const override {
        const double d = static_cast<double>(pair.dimension), factor = log_mean_factor(d, pair.plus);
        const double log_mean = factor - pair.norms(), excess = log_mean_factor(d, 4 * pair.plus) - 2 * factor;
        return {log_mean, 2 * log_mean + excess, 2 * log_mean + excess + std::log(-std::expm1(-excess))};
    }

    std::optional<theory::SignedLog> covariance(const Pair& pair, sampling::Coupling coupling) const override {
        const double d = static_cast<double>(pair.dimension), factor = log_mean_factor(d, pair.plus);
        const double log_floor = -2 * pair.norms();
        switch (coupling) {
            case sampling::Coupling::orthogonal: {
                // |z|^2 times a Beta(1, d/2 - 1) variable is the squared length of z on the plane of v_1 and v_2.
                const double both = theory::log_hypergeometric_1f1(1, 0.5 * d, 0.5 * pair.plus);
                const theory::SignedLog together{log_floor + both, 1}, apart{log_floor + 2 * factor, -1};
                return together + apart;
            }
            case sampling::Coupling::antithetic:
                // Z(w) Z(-w) = exp(-2s)
                return theory::SignedLog{log_floor + 2 * factor + std::log(-std::expm1(-2 * factor)), -1};
            default: return {};
        }
    }
};

std::unique_ptr<MechanismWithMoments> fit_positive_fixed(const Statistics&, const Settings&) {
    return std::make_unique<PositiveFixed>();
}

}  // namespace

Projections with_normal_radii(const Projections& omega) {
    const double half = 0.5 * static_cast<double>(omega.rows());
    Projections result = omega;
    for (Index m = 0; m < omega.cols(); ++m) {
        const double length = omega.col(m).stableNorm();
        if (length == 0) throw std::invalid_argument("normal radii: omega is the zero vector, which has no direction");
        // The smaller tail keeps its digits; one that underflows is as far out as double has it.
        const double below = boost::math::gamma_p(half, 0.5 * length * length);
        const double above = boost::math::gamma_q(half, 0.5 * length * length);
        const double tail = std::max(std::min(below, above), std::numeric_limits<double>::min());
        const double radius = below < above ? normal_quantile(tail) : -normal_quantile(tail);
        result.col(m) *= radius / length;
    }
    return result;
}

const MechanismInfo& positive_fixed() {
    static const MechanismInfo info{
        .name = "positive-fixed",
        .paper_name = "PFF",
        .summary = "positive features with the normal radii of DiJiang in place of chi(d) ones: biased, mean below K",
        .features =
            "f(x) = exp(r v.x - |x|^2) on both sides, v = w / |w|, r = Phi^{-1}(P(chi(d) <= |w|)), w ~ N(0, I)"
            "; with r = |w| these are `positive`, unbiased",
        .variance =
            "E Z = exp(-s) 1F1(1/2; d/2; |x+y|^2 / 2), E Z^2 = exp(-2s) 1F1(1/2; d/2; 2 |x+y|^2), "
            "s = |x|^2 + |y|^2",
        .reference = "Chen et al. 2024, Theorem 3.2",
        .cost = "no fit; 1 real column a draw; O(d) and one exponential a feature",
        .parameters = {},
        .positive = true,
        .unbiased = false,
        .differentiable = true,
        .couplings = {sampling::Coupling::orthogonal, sampling::Coupling::antithetic},
        .fit = fit_positive_fixed};
    return info;
}

}  // namespace rfbench::features
