#pragma once
#include "study/study.hpp"

namespace rfbench::experiments {

/// Ways that are measured beside sliced_ways(): the whole sequence, and its first slice as a whole sequence.
inline const std::string whole_sequence = "whole sequence", one_slice_alone = "one slice alone";

/// Figures and the table of cost/low-memory.
Report low_memory_report(const store::Dataset&);

}  // namespace rfbench::experiments
