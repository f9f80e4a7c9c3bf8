// Experiment "attention": what linear attention through random features makes of softmax attention.
#include "attention/studies.hpp"

namespace rfbench::experiments {

std::vector<Study> attention_studies() {
    return {attention_error_study(), depth_study(), causal_study(), negative_study(), cost_study()};
}

}  // namespace rfbench::experiments
