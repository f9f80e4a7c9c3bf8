#pragma once
// The ways in which a head's features are found, by name.
#include "dof/head_inputs.hpp"
#include "rfbench/training/point_training.hpp"

namespace rfbench::experiments {

/// The names that `methods` takes.
const std::vector<std::string>& feature_methods();

/// What a head's features are found from.
struct FeatureProblem {
    std::vector<dof::Sequence> training;
    Points points;  ///< J queries and keys, for the optimal densities
    double lambda;  ///< of q_lambda
    training::PointTraining settings;
};

std::vector<config::KeyRule> training_keys();
training::PointTraining training(const config::Value&);

/// `count` features. Throws std::invalid_argument as the functions of rfbench/dof do.
training::TrainedPoints find_features(const std::string& method, Index count, const FeatureProblem&, const Stream&);

}  // namespace rfbench::experiments
