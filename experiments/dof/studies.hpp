#pragma once
// The experiment on degrees of freedom: the studies of configs/dof/, one file each.
#include <vector>

#include "experiment.hpp"

namespace rfbench::experiments {

Study freedom_layers_study();   ///< Tables 1 and 2: degrees of freedom of each head, feature dimensions of each layer
Study freedom_error_study();    ///< kernel and output errors at equal cost, by allocation and by how features are found
Study freedom_bound_study();    ///< Theorem 3 as printed and as corrected
Study freedom_learned_study();  ///< learned features, kept in the result file, and how their losses fell

std::vector<Study> dof_studies();

}  // namespace rfbench::experiments
