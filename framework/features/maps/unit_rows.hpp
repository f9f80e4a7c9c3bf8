#pragma once
#include "rfbench/features/feature_map.hpp"

namespace rfbench::features {

/// f(l x / |x|): features of rows that are brought to the length l first, so that only their directions count (Peng et
/// al. 2021, random feature attention). The row 0 has no direction and stays 0; its gradient is 0. It has gradients if
/// `map` does. Throws std::invalid_argument without a map and unless l is positive and finite.
std::shared_ptr<const FeatureMap> unit_rows(std::shared_ptr<const FeatureMap> map, double length);

}  // namespace rfbench::features
