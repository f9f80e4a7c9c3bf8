#pragma once
#include "study/study.hpp"

namespace rfbench::experiments {

/// Errors and times of what is computed, by the way in which its products are formed.
Report products_report(const store::Dataset&);

}  // namespace rfbench::experiments
