#pragma once
#include "study/study.hpp"

namespace rfbench::experiments {

/// Passes that are run: Transformer::evaluate, or Transformer::gradient, which goes forward and backward.
inline const std::vector<std::string> network_passes{"forward", "gradient"};

/// Why a network was not measured; the variable `left_out` has their numbers.
enum class LeftOut { none, length, memory, time };

/// Figures and tables of cost/network.
Report network_cost_report(const store::Dataset&);

}  // namespace rfbench::experiments
