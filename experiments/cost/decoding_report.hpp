#pragma once
#include "study/study.hpp"

namespace rfbench::experiments {

/// Figures and tables of cost/decoding, and of cost/network-decoding.
Report decoding_report(const store::Dataset&);

}  // namespace rfbench::experiments
