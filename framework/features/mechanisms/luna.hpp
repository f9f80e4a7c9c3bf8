#pragma once
#include "rfbench/features/maps/learned_map.hpp"
#include "rfbench/features/mechanism_info.hpp"

namespace rfbench::features {

/// The shape that parameters other than head_parameters describe; dimension and projections are 0 where they are not
/// given. Throws std::invalid_argument for a value that is not allowed.
MapShape luna_shape(const Settings&);

}  // namespace rfbench::features
