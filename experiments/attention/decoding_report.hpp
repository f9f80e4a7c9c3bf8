#pragma once
#include "study/study.hpp"

namespace rfbench::experiments {

/// Figures and tables of attention/decoding.
Report decoding_report(const store::Dataset&);

}  // namespace rfbench::experiments
