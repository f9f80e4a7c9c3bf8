// Experiment "concentration": how often estimates are far off, at one pair and over whole balls of points, beside what
// the theorems promise.
#include "concentration/studies.hpp"

namespace rfbench::experiments {

std::vector<Study> concentration_studies() { return {tail_study(), uniform_study()}; }

}  // namespace rfbench::experiments
