#include "dof/feature_choice.hpp"

#include <limits>

#include "rfbench/dof/fitted_weights.hpp"
#include "rfbench/dof/optimal_density.hpp"
#include "rfbench/features/catalogue.hpp"

namespace rfbench::experiments {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

dof::WeightedFeatures normal(const char* sampling, Index dimension, Index count, const Stream& stream) {
    const auto mechanism = features::fit(features::find("positive"), {});
    return {features::draw(*mechanism, dimension, count, sampling::find(sampling), stream).omega, Vector::Zero(count)};
}

}  // namespace

const std::vector<std::string>& feature_methods() {
    static const std::vector<std::string> names{"iid",      "orthogonal",      "q-lambda",       "q-inf",
                                                "weighted", "learned-squared", "learned-softmax"};
    return names;
}

std::vector<config::KeyRule> training_keys() {
    using namespace config;
    return {
        defaulted("optimiser", one_of({"adam", "lbfgs"}), "adam", "of learned features"),
        defaulted("steps", integer(1, 1'000'000), "200", "of Adam, or iterations of L-BFGS at most"),
        defaulted("batch", integer(1, 100'000), "2", "sequences a mini-batch of Adam"),
        defaulted("rate", real(above(0)), "0.05", "of Adam, falling to 0 along half a cosine"),
    };
}

training::PointTraining training(const config::Value& config) {
    training::PointTraining settings;
    settings.optimiser =
        config.at("optimiser").text() == "adam" ? training::Optimiser::adam : training::Optimiser::lbfgs;
    settings.steps = static_cast<int>(config.at("steps").integer());
    settings.batch = static_cast<int>(config.at("batch").integer());
    settings.rate = config.at("rate").number();
    return settings;
}

training::TrainedPoints find_features(const std::string& method, Index count, const FeatureProblem& problem,
                                      const Stream& stream) {
    const Index dimension = problem.points.cols();
    const double none = std::numeric_limits<double>::quiet_NaN();
    if (method == "iid" || method == "orthogonal")
        return {normal(method.c_str(), dimension, count, stream), {}, none, none};
    if (method == "q-lambda" || method == "q-inf")
        return {dof::OptimalDensity(problem.points, method == "q-inf" ? infinity : problem.lambda).draw(count, stream),
                {},
                none,
                none};
    if (method == "weighted")
        return {dof::fit_weights(normal("orthogonal", dimension, count, stream).points, problem.settings.visible,
                                 problem.training),
                {},
                none,
                none};
    training::PointTraining settings = problem.settings;
    settings.loss = method == "learned-squared" ? dof::Loss::squared : dof::Loss::softmax;
    return training::train_points(normal("orthogonal", dimension, count, stream), problem.training, settings,
                                  stream.child("training"));
}

}  // namespace rfbench::experiments
