#pragma once
#include "rfbench/networks/sliced_gradient.hpp"
#include "rfbench/report/table.hpp"
#include "rfbench/store/dataset.hpp"

namespace rfbench::experiments {

/// Sizes of a network, counts of section 5.5 of the thesis by its formulas, and what was counted: `work` of each way, 0
/// tokens where a way was left out.
std::vector<store::Variable> counts_of(const networks::Transformer&, Index length,
                                       const std::vector<networks::SlicedWork>& work);

/// Section 5.5 beside counted operations and measured bytes.
report::Table count_table(const store::Dataset&);

}  // namespace rfbench::experiments
