#pragma once
#include "study/study.hpp"

namespace rfbench::experiments {

/// Table and figure of kernel regression: errors of numbers at the tuned gamma, beside the mean of the training
/// targets.
Report nadaraya_watson_report(const store::Dataset&);

}  // namespace rfbench::experiments
