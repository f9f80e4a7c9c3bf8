#include <cmath>

#include "rfbench/features/maps/exponential_map.hpp"
#include "rfbench/features/mechanism_info.hpp"
#include "rfbench/theory/coupling.hpp"

namespace rfbench::features {
namespace {

class Positive final : public MechanismWithMoments {
public:
    Settings parameters() const override { return {}; }
    Index columns(Index count) const override { return count; }

    std::unique_ptr<FeatureMap> map(const Draw& draw) const override { return positive_map(draw.omega); }

    Moments moments(const Pair& pair) const override {
        // E Z^2 = exp(4 x.y), and K^2 = exp(4 x.y - |x + y|^2)
        const double log_second = 4 * pair.xy;
        return {pair.log_kernel(), log_second, log_second + std::log(-std::expm1(-pair.plus))};
    }

    std::optional<theory::SignedLog> covariance(const Pair& pair, sampling::Coupling coupling) const override {
        switch (coupling) {
            case sampling::Coupling::orthogonal:
                return theory::orthogonal_covariance_positive(pair.dimension, pair.plus, pair.log_kernel());
            case sampling::Coupling::simplex:
                return theory::simplex_covariance_positive(pair.dimension, pair.plus, pair.log_kernel());
            case sampling::Coupling::antithetic:
                // Z(w) Z(-w) = exp(-2s) = K^2 exp(-|x + y|^2)
                return theory::SignedLog{2 * pair.log_kernel() + std::log(-std::expm1(-pair.plus)), -1};
            default: return {};
        }
    }
};

std::unique_ptr<MechanismWithMoments> fit_positive(const Statistics&, const Settings&) {
    return std::make_unique<Positive>();
}

}  // namespace

const MechanismInfo& positive() {
    static const MechanismInfo info{
        .name = "positive",
        .paper_name = "PosRF",
        .summary = "real exponentials, positive and unbounded: FAVOR+",
        .features = "f(x) = exp(w.x - |x|^2) on both sides, w ~ N(0, I)",
        .variance = "Var = exp(4 x.y) - K^2",
        .reference = "Choromanski et al. 2021; Likhosherstov 2022, (4.2), (4.4)",
        .cost = "no fit; 1 real column a draw; O(d) and one exponential a feature",
        .parameters = {},
        .positive = true,
        .differentiable = true,
        .couplings = {sampling::Coupling::orthogonal, sampling::Coupling::simplex, sampling::Coupling::antithetic},
        .fit = fit_positive};
    return info;
}

}  // namespace rfbench::features
