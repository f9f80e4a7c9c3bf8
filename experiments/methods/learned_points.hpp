#pragma once
#include "study/method_list.hpp"

namespace rfbench::experiments {

/// Whether the entry says that a network trains the weights of points alone: `points_held`. Other methods have no such
/// key.
bool holds_points(const MethodChoice&);

}  // namespace rfbench::experiments
