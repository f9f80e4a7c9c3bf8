#pragma once
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/maps/learned_map.hpp"

namespace rfbench::features {

/// A trained map (rfbench/features/learned_map.hpp; Shahbazi et al. 2025, (11)) for queries and keys, brought to the
/// Gaussian kernel as all mechanisms are: f(x) = phi(d^(1/4) x) exp(-|x|^2 / 2) on both sides, so that attention sees
/// phi itself. One unit of all m L features. What it estimates is whatever it was trained for. Without parameters it is
/// the map that training begins with, the draw for projections: one draw is L features.
const MechanismInfo& luna();

/// The shape that parameters other than head_parameters describe; dimension and projections are 0 where they are not
/// given. Throws std::invalid_argument for a value that is not allowed.
MapShape luna_shape(const Settings&);

}  // namespace rfbench::features
