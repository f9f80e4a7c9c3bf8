#pragma once
// The variance experiment: the studies of configs/variance/, one file each.
#include <vector>

#include "experiment.hpp"

namespace rfbench::experiments {

Study angle_study();        ///< Figures 4.1 and 6.1
Study gain_study();         ///< Figure 6.2
Study regimes_study();      ///< Figure 6.4
Study orthogonal_study();   ///< exact gain of orthogonal and simplex sampling; Theorems 3, 6, 18
Study monte_carlo_study();  ///< every mechanism and sampling, drawn, against the formulas

std::vector<Study> variance_studies();

}  // namespace rfbench::experiments
