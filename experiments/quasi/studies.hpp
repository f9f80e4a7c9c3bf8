#pragma once
// The quasi experiment: the studies of configs/quasi/, one file each.
#include <vector>

#include "experiment.hpp"

namespace rfbench::experiments {

Study quasi_rate_study();       ///< error of the kernel estimate against M: rates, bias and variance
Study quasi_attention_study();  ///< error of the output of attention at equal cost

std::vector<Study> quasi_studies();

}  // namespace rfbench::experiments
