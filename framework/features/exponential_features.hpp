#pragma once
#include "rfbench/features/exponential_map.hpp"

namespace rfbench::features {

/// exponential_map() that gives the logarithms of its features, too.
std::unique_ptr<FeatureMap> exponential_features(const ExponentialSide& query, const ExponentialSide& key);

}  // namespace rfbench::features
