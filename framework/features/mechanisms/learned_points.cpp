#include <cmath>
#include <stdexcept>

#include "rfbench/features/maps/exponential_map.hpp"
#include "rfbench/features/mechanism_info.hpp"

namespace rfbench::features {
namespace {

using List = std::vector<double>;

List list_setting(const Settings& settings, const char* name) {
    const auto found = settings.find(name);
    return found == settings.end() ? List{} : std::get<List>(found->second);
}

class LearnedPoints final : public Mechanism {
public:
    LearnedPoints(List points, List log_weights) : points_(std::move(points)), log_weights_(std::move(log_weights)) {}

    Settings parameters() const override { return {{"points", points_}, {"log_weights", log_weights_}}; }
    std::optional<Index> dimension() const override {
        if (!given()) return {};
        return static_cast<Index>(points_.size() / log_weights_.size());
    }
    Index columns(Index count) const override { return given() ? static_cast<Index>(log_weights_.size()) : count; }

    std::unique_ptr<FeatureMap> map(const Draw& draw) const override {
        // Without points of its own: positive features of what was drawn.
        ExponentialSide side{draw.omega, Vector::Zero(draw.omega.cols()), {.isotropic = -1}};
        if (given()) {
            const auto count = static_cast<Index>(log_weights_.size());
            if (static_cast<Index>(points_.size()) != count * draw.omega.rows())
                throw std::invalid_argument("learned-points: " + std::to_string(count) + " points have dimension " +
                                            std::to_string(points_.size() / log_weights_.size()) + ", rows have " +
                                            std::to_string(draw.omega.rows()));
            side.weights = Eigen::Map<const Projections>(points_.data(), draw.omega.rows(), count);
            side.bias = 0.5 * Eigen::Map<const Vector>(log_weights_.data(), count);
        }
        return exponential_map(side, side);
    }

private:
    bool given() const { return !log_weights_.empty(); }

    List points_, log_weights_;
};

std::unique_ptr<Mechanism> fit_learned_points(const Statistics&, const Settings& settings) {
    List points = list_setting(settings, "points"), log_weights = list_setting(settings, "log_weights");
    if (points.empty() != log_weights.empty() || (!points.empty() && points.size() % log_weights.size() != 0))
        throw std::invalid_argument("learned-points: points has " + std::to_string(points.size()) +
                                    " numbers and log_weights " + std::to_string(log_weights.size()) +
                                    "; d for each point and one are needed");
    for (const List* list : {&points, &log_weights})
        for (const double value : *list)
            if (!std::isfinite(value))
                throw std::invalid_argument("learned-points: not all points and log_weights are finite");
    return std::make_unique<LearnedPoints>(std::move(points), std::move(log_weights));
}

}  // namespace

const MechanismInfo& learned_points() {
    static const MechanismInfo info{
        .name = "learned-points",
        .paper_name = "learned PRF",
        .summary = "positive features at given points with given weights, from the result file of a training; biased",
        .features = "f_m(x) = sqrt(alpha_m) exp(z_m.x - |x|^2) on both sides",
        .variance = "none: z and alpha are what training left behind",
        .reference = "Nishikawa, Higuchi and Suzuki 2025, section 3.3",
        .cost = "no fit; one draw is all M real columns; O(d) and one exponential a feature",
        .parameters = {{"points",
                        ParameterInfo::Type::list,
                        "d M finite numbers, point by point",
                        "z; default: the projections drawn, that is positive features",
                        {"feature", "coordinate"}},
                       {"log_weights", ParameterInfo::Type::list, "M finite numbers", "log alpha", {"feature"}}},
        .positive = true,
        .unbiased = false,
        .differentiable = true,
        .fit = fit_learned_points};
    return info;
}

}  // namespace rfbench::features
