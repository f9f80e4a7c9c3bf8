#pragma once
#include "rfbench/dof/weighted_features.hpp"
#include "rfbench/features/map_family.hpp"

namespace rfbench::dof {

/// Weighted features (weighted_features.hpp) whose points and log weights are trained by whatever loss the network has
/// (Nishikawa, Higuchi and Suzuki 2025, section 4: "direct"): parameters are the points, d x M by columns, then log
/// alpha. Training begins at `start`. D of DiJiang (Chen et al. 2024) is the square root of a weight.
///
/// trained(): log alpha alone, which come last, where the points are held. Throws as WeightedFeatures::map().
std::shared_ptr<const features::MapFamily> trained_points(const WeightedFeatures& start, bool points_held = false);

}  // namespace rfbench::dof
