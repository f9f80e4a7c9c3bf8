#pragma once
#include "study/study.hpp"

namespace rfbench::experiments {

/// Learning curves by regime, what they end at, and what one step on the first half of a text does for the second.
Report low_memory_training_report(const store::Dataset&);

}  // namespace rfbench::experiments
