#pragma once
#include "study/study.hpp"

namespace rfbench::experiments {

/// Passes that can be timed: attention; attention and its gradients; attention that decays with the distance. The
/// variable `pass` has their numbers.
inline const std::vector<std::string> cost_passes{"forward", "backward", "masked"};

/// Figures and tables of cost/attention.
Report cost_report(const store::Dataset&);

}  // namespace rfbench::experiments
