// Drawn points whose weights are fitted to a head's sequences.
#include "rfbench/dof/fitted_weights.hpp"

#include <limits>

#include "methods/mechanism.hpp"

namespace rfbench::experiments {
namespace {

class FittedWeights final : public Method, public Finder {
public:
    const Finder* finder() const override { return this; }
    bool drawn() const override { return true; }
    bool drawn_by(const sampling::Scheme&) const override { return true; }

    training::TrainedPoints find(const HeadProblem& problem, Index count, const sampling::Scheme& scheme,
                                 const Stream& stream) const override {
        // The best weights come of one convex problem: nothing descends, and there are no losses before and after.
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        return {dof::fit_weights(features::draw_normals(problem.points.cols(), count, scheme, stream),
                                 problem.training.visible, problem.sequences),
                {},
                none,
                none};
    }
};

}  // namespace

std::vector<MethodInfo> fitted_weights_methods() {
    return {{.name = "fitted-weights",
             .summary = "positive features at drawn points, their weights fitted to a head's sequences",
             .reference = "Nishikawa, Higuchi and Suzuki 2025, section 3.3, the convex part",
             .keys = {},
             .abilities = abilities_of(FittedWeights()),
             .drawn = true,
             .budgeted = true,
             .make = [](const config::Value&) -> std::shared_ptr<const Method> {
                 return std::make_shared<FittedWeights>();
             }}};
}

}  // namespace rfbench::experiments
