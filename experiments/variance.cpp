// Experiment "variance": how far random-feature estimates of K(x, y) = exp(-|x - y|^2 / 2) scatter. Most studies
// evaluate exact variances and draw nothing; monte-carlo draws everything and checks them.
#include "variance/studies.hpp"

namespace rfbench::experiments {

std::vector<Study> variance_studies() {
    return {angle_study(), gain_study(), regimes_study(), orthogonal_study(), monte_carlo_study()};
}

}  // namespace rfbench::experiments
