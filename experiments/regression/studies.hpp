#pragma once
// The regression experiment: the studies of configs/regression/, one file each.
#include <vector>

#include "experiment.hpp"

namespace rfbench::experiments {

Study accuracy_study();  ///< Tables 6.2 and 6.3
Study ridge_study();     ///< kernel ridge regression, through features and exact

std::vector<Study> regression_studies();

}  // namespace rfbench::experiments
