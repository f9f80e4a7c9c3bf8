#pragma once
#include "study/study.hpp"

namespace rfbench::experiments {

/// Figures and tables of the study quasi/rate.
Report rate_report(const store::Dataset&);

}  // namespace rfbench::experiments
