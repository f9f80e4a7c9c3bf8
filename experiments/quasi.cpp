// Experiment "quasi": what fixed, quasi-Monte Carlo and weighted features gain over independent ones.
#include "quasi/studies.hpp"

namespace rfbench::experiments {

std::vector<Study> quasi_studies() { return {quasi_rate_study(), quasi_attention_study()}; }

}  // namespace rfbench::experiments
