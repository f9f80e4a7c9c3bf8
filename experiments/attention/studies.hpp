#pragma once
// The attention experiment: the studies of configs/attention/, one file each.
#include <vector>

#include "experiment.hpp"

namespace rfbench::experiments {

Study attention_error_study();  ///< Figure 3.6: error of the attention matrix and of the output against M
Study depth_study();            ///< Figure 3.7: error through the layers of a Transformer
Study causal_study();           ///< causal features fitted without seeing the future
Study negative_study();         ///< how often a denominator is not positive
Study cost_study();             ///< Figures 3.3 and 6.6 (right): time and memory against the length

std::vector<Study> attention_studies();

}  // namespace rfbench::experiments
