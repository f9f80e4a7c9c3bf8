#pragma once
// Figures and tables of the study variance/orthogonal, from its result file alone.
#include "study/study.hpp"

namespace rfbench::experiments {

/// Exact and drawn ratios against the distance, and the printed bounds beside them; where a coupling is worse than iid,
/// and where a bound fails.
Report orthogonal_report(const store::Dataset& data);

}  // namespace rfbench::experiments
