// Experiment "regression": classes of UCI data sets by kernel regression through random features.
#include "regression/studies.hpp"

namespace rfbench::experiments {

std::vector<Study> regression_studies() { return {accuracy_study(), ridge_study()}; }

}  // namespace rfbench::experiments
