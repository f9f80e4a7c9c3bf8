#pragma once
#include "study/study.hpp"

namespace rfbench::experiments {

/// Figures and tables of conversion/recovery.
Report recovery_report(const store::Dataset&);

}  // namespace rfbench::experiments
