// Points drawn from the density that the degrees of freedom of a head lead to.
#include "rfbench/dof/optimal_density.hpp"

#include <limits>

#include "study/method.hpp"

namespace rfbench::experiments {
namespace {

class OptimalDensity final : public Method, public Finder {
public:
    explicit OptimalDensity(std::optional<double> lambda) : lambda_(lambda) {}

    const Finder* finder() const override { return this; }

    training::TrainedPoints find(const HeadProblem& problem, Index count, const sampling::Scheme&,
                                 const Stream& stream) const override {
        // Points come by rejection, each from a stream of its own: no sampling couples them, and nothing is trained.
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        const dof::OptimalDensity density(problem.points, lambda_.value_or(problem.lambda));
        return {density.draw(count, stream), {}, none, none};
    }

private:
    std::optional<double> lambda_;
};

}  // namespace

std::vector<MethodInfo> optimal_density_methods() {
    using namespace config;
    return {{.name = "optimal-density",
             .summary = "points from the density q_lambda of a head, weighted for it",
             .reference = "Nishikawa, Higuchi and Suzuki 2025, section 3.2",
             .keys = {optional("lambda", any_of({real(above(0)), one_of({"infinity"})}),
                               "of the density; the study's unless given")},
             .abilities = {Ability::found},
             .drawn = false,
             .budgeted = true,
             .make = [](const Value& entry) -> std::shared_ptr<const Method> {
                 std::optional<double> lambda;
                 if (entry.has("lambda"))
                     lambda = entry.at("lambda").kind() == Kind::text ? std::numeric_limits<double>::infinity()
                                                                      : entry.at("lambda").number();
                 return std::make_shared<OptimalDensity>(lambda);
             }}};
}

}  // namespace rfbench::experiments
