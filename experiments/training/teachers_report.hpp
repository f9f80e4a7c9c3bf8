#pragma once
#include "study/study.hpp"

namespace rfbench::experiments {

/// Curves of validation data by source, and what networks are right of held-out data, beside what needs no attention.
Report teachers_report(const store::Dataset&);

}  // namespace rfbench::experiments
