#include "rfbench/features/maps/cosine_map.hpp"
#include "rfbench/features/mechanism_info.hpp"
#include "rfbench/features/mechanisms/fitted_weights.hpp"
#include "rfbench/features/mechanisms/positive_fixed.hpp"

namespace rfbench::features {
namespace {

class PositiveWeighted final : public Mechanism {
public:
    PositiveWeighted(Statistics statistics, bool normal_radii, int steps)
        : statistics_(std::move(statistics)), normal_radii_(normal_radii), steps_(steps) {}

    Settings parameters() const override {
        return {{"normal_radii", normal_radii_}, {"steps", static_cast<double>(steps_)}};
    }
    Index columns(Index count) const override { return count; }

    std::unique_ptr<FeatureMap> map(const Draw& draw) const override {
        const Projections omega = normal_radii_ ? with_normal_radii(draw.omega) : draw.omega;
        constexpr double isotropic = -1;
        // Weights are fitted to the whole draw; D_m, which is on both sides, is the root of one.
        const Vector log_weights = fitted_log_weights(omega, isotropic, statistics_, steps_);
        return cosine_or_dense_map({omega, 0.5 * log_weights, {.isotropic = isotropic}});
    }

private:
    Statistics statistics_;
    bool normal_radii_;
    int steps_;
};

std::unique_ptr<Mechanism> fit_positive_weighted(const Statistics& statistics, const Settings& settings) {
    const auto found = settings.find("normal_radii");
    return std::make_unique<PositiveWeighted>(statistics, found != settings.end() && std::get<bool>(found->second),
                                              steps_setting("positive-weighted", settings));
}

}  // namespace

const MechanismInfo& positive_weighted() {
    static const MechanismInfo info{
        .name = "positive-weighted",
        .paper_name = "WPFF",
        .summary = "positive features with weights that fit K best, given the draw; biased",
        .features = "f_m(x) = D_m exp(w_m.x - |x|^2) on both sides, w ~ N(0, I), D_m^2 >= 0 by least squares",
        .variance =
            "none in closed form: weights depend on all draws; w = D^2 minimises E (K^ - K)^2 over normal x "
            "and y with the moments of the sets",
        .reference = "Chen et al. 2024, Theorem 3.3",
        .cost = "O(M^2 d + M k^3) for M weights, k above 0; 1 real column a draw; O(d) and one exponential a feature",
        .parameters = {{"normal_radii", ParameterInfo::Type::boolean, "true or false",
                        "true: radii Phi^{-1}(t), as printed; false (default): the chi(d) lengths that are drawn"},
                       steps_parameter()},
        .positive = true,
        .unbiased = false,
        .differentiable = true,
        .fitted = always_fitted,
        .fit = fit_positive_weighted};
    return info;
}

}  // namespace rfbench::features
