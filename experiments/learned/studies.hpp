#pragma once
// The experiment on learned features: the studies of configs/learned/, one file each.
#include <vector>

#include "experiment.hpp"

namespace rfbench::experiments {

Study match_study();     ///< trained to give the outputs of softmax attention
Study classify_study();  ///< trained end to end in a classifier of one layer: Tables 4 and 5, Figure 3

std::vector<Study> learned_studies();

}  // namespace rfbench::experiments
