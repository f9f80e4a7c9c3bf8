#pragma once
#include "experiment.hpp"

namespace rfbench::experiments {

/// Tables and figures of the accuracy study: test accuracy with its interval beside the printed one, paired differences
/// from optimal-positive features, and how many rows had no score.
Report accuracy_report(const store::Dataset&);

}  // namespace rfbench::experiments
