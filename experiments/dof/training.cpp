#include "dof/training.hpp"

#include "methods/learned_points.hpp"

namespace rfbench::experiments {

std::vector<config::KeyRule> point_training_keys() {
    using namespace config;
    return {
        defaulted("optimiser", one_of({"adam", "lbfgs"}), "adam", "of learned features"),
        defaulted("steps", integer(1, 1'000'000), "200", "of Adam, or iterations of L-BFGS at most"),
        defaulted("batch", integer(1, 100'000), "2", "sequences a mini-batch of Adam"),
        defaulted("rate", real(above(0)), "0.05", "of Adam, falling to 0 along half a cosine"),
    };
}

training::PointTraining point_training(const config::Value& config) {
    training::PointTraining settings;
    settings.optimiser =
        config.at("optimiser").text() == "adam" ? training::Optimiser::adam : training::Optimiser::lbfgs;
    settings.steps = static_cast<int>(config.at("steps").integer());
    settings.batch = static_cast<int>(config.at("batch").integer());
    settings.rate = config.at("rate").number();
    return settings;
}

const sampling::Scheme& point_scheme(const MethodChoice& choice) {
    const sampling::Scheme& orthogonal = sampling::find("orthogonal");
    return choice.scheme(choice->drawn_by(orthogonal) ? orthogonal : sampling::find("iid"));
}

void require_points_found(const MethodChoice& choice) {
    if (holds_points(choice))
        choice.entry.at("points_held")
            .refuse("points and weights of a head are trained together; layers of a network may hold points");
}

}  // namespace rfbench::experiments
