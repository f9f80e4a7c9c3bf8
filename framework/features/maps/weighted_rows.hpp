#pragma once
#include "rfbench/features/feature_map.hpp"

namespace rfbench::features {

/// exp(w_n) f(x): features of row x, the n-th of its sequence, with a weight of its own. Rows are d + 1 wide, the last
/// entry being n = 0, 1, ...; logarithms of weights are in double, and nothing overflows. The gradient's last column is
/// that with respect to w_n. It has gradients if `map` does. Throws std::invalid_argument without a map; the map throws
/// it for a row that has no weight.
std::shared_ptr<const FeatureMap> weighted_rows(std::shared_ptr<const FeatureMap> map, Vector query_log_weights,
                                                Vector key_log_weights);

}  // namespace rfbench::features
