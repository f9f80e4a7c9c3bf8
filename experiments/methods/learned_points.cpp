// Positive features whose points and weights are trained, on a head's sequences or before, their file being given.
#include "rfbench/features/mechanisms/learned_points.hpp"

#include "methods/mechanism.hpp"
#include "methods/stored_map.hpp"
#include "rfbench/dof/fitted_weights.hpp"

namespace rfbench::experiments {
namespace {

class LearnedPoints final : public Method {
public:
    explicit LearnedPoints(dof::Loss loss) : loss_(loss) {}

    bool can(Ability what) const override { return what == Ability::found || what == Ability::trained; }
    bool drawn() const override { return true; }
    bool drawn_by(const sampling::Scheme&) const override { return true; }

    training::TrainedPoints find(const HeadProblem& problem, Index count, const sampling::Scheme& scheme,
                                 const Stream& stream) const override {
        training::PointTraining settings = problem.training;
        settings.loss = loss_;
        // Training begins at random features of equal weight.
        return training::train_points(
            {features::draw_normals(problem.points.cols(), count, scheme, stream), Vector::Zero(count)},
            problem.sequences, settings, stream.child("training"));
    }

private:
    dof::Loss loss_;
};

std::shared_ptr<const Method> make(const config::Value& entry) {
    if (entry.has("from")) {
        // Trained points are a mechanism like any other, whose parameters the file has.
        const features::MechanismInfo& info = features::learned_points();
        return mechanism_method(info, settings_from(info, entry.at("from")));
    }
    return std::make_shared<LearnedPoints>(entry.at("loss").text() == "squared" ? dof::Loss::squared
                                                                                : dof::Loss::softmax);
}

}  // namespace

std::vector<MethodInfo> learned_points_methods() {
    using namespace config;
    return {
        {.name = "learned-points",
         .summary = "positive features whose points and weights are trained: here, or before, their file being given",
         .reference = "Nishikawa, Higuchi and Suzuki 2025, section 3.3",
         .keys = {from_key("{file: results/dof/learned.h5, layer: 1, head: 2, method: learned-softmax}; without it "
                           "they are trained on the head's sequences"),
                  defaulted("loss", one_of({"softmax", "squared"}), "softmax", "what they are trained for")},
         .abilities = {Ability::kernel, Ability::rows, Ability::features, Ability::attention, Ability::causal,
                       Ability::layer, Ability::found, Ability::trained},
         .drawn = true,
         .budgeted = true,
         .make = make}};
}

}  // namespace rfbench::experiments
