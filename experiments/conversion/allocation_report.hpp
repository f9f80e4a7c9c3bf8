#pragma once
#include "study.hpp"

namespace rfbench::experiments {

Report allocation_report(const store::Dataset&);

}  // namespace rfbench::experiments
