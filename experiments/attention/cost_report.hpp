#pragma once
#include "study.hpp"

namespace rfbench::experiments {

/// Figures and tables of attention/cost.
Report cost_report(const store::Dataset&);

}  // namespace rfbench::experiments
