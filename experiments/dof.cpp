// Experiment "dof": how many features a head needs, from its degrees of freedom, and which ones.
#include "dof/studies.hpp"

namespace rfbench::experiments {

std::vector<Study> dof_studies() {
    return {freedom_layers_study(), freedom_error_study(), freedom_bound_study(), freedom_learned_study()};
}

}  // namespace rfbench::experiments
