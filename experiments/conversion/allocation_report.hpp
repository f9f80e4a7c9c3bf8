#pragma once
#include "study/study.hpp"

namespace rfbench::experiments {

Report allocation_report(const store::Dataset&);

}  // namespace rfbench::experiments
