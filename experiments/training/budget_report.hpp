#pragma once
#include "study/study.hpp"

namespace rfbench::experiments {

/// Figure and tables of training/budget.
Report budget_report(const store::Dataset&);

}  // namespace rfbench::experiments
