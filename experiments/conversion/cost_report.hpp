#pragma once
#include "study/study.hpp"

namespace rfbench::experiments {

Report conversion_cost_report(const store::Dataset&);

}  // namespace rfbench::experiments
