#pragma once
#include "study/study.hpp"

namespace rfbench::experiments {

/// Ways that are measured beside sliced_ways(): a gradient of the whole sequence; one of its first slice alone; and,
/// with all prefix sums stored, one of the whole and one by slices.
inline const std::string whole_sequence = "whole sequence", one_slice_alone = "one slice alone",
                         whole_prefix_sums = "whole sequence, prefix sums",
                         sliced_prefix_sums = "subtraction, prefix sums";

/// Figures and the table of cost/low-memory.
Report low_memory_report(const store::Dataset&);

}  // namespace rfbench::experiments
