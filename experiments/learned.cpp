// Experiment "learned": features that are trained (LUNA) beside features that are drawn.
#include "learned/studies.hpp"

namespace rfbench::experiments {

std::vector<Study> learned_studies() { return {match_study(), classify_study()}; }

}  // namespace rfbench::experiments
