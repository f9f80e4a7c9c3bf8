#pragma once
#include "study/study.hpp"

namespace rfbench::experiments {

/// Tables and figures of the svm study: test error and support vectors at the chosen gamma and C beside the exact
/// kernel's, machines that ended before their duality gap, features that double could not hold.
Report svm_report(const store::Dataset&);

}  // namespace rfbench::experiments
