#pragma once
#include "study/study.hpp"

namespace rfbench::experiments {

/// Tables and figure of the ridge study: test error at the tuned gamma and lambda beside the exact kernel's, the error
/// of numbers, features that double could not hold, and what each fit costs.
Report ridge_report(const store::Dataset&);

}  // namespace rfbench::experiments
