#pragma once
// How both studies that find features of heads train them.
#include "rfbench/training/point_training.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {

std::vector<config::KeyRule> point_training_keys();
training::PointTraining point_training(const config::Value&);

/// How a method's points are drawn: as its entry says, or else orthogonal where that can draw them.
const sampling::Scheme& point_scheme(const MethodChoice&);

/// Throws InputError for `points_held`, which is of layers of networks: a head's points are found anew.
void require_points_found(const MethodChoice&);

}  // namespace rfbench::experiments
