#pragma once
#include "rfbench/report/table.hpp"
#include "rfbench/store/dataset.hpp"

namespace rfbench::experiments {

/// Table 5.1: exponents of time and memory in L, of networks that differ in their length alone, at slices that all of
/// them have. Without rows where there are no such networks.
report::Table exponent_table(const store::Dataset&);

/// Table 5.2 beside ours, with the memory of parameters and of Adam's state; without rows for any but its networks.
report::Table printed_table(const store::Dataset&);

}  // namespace rfbench::experiments
