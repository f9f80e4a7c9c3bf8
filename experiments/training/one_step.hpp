#pragma once
#include <vector>

#include "rfbench/networks/transformer.hpp"

namespace rfbench::experiments {

/// The loss of these sequences, a sum over targets in nats, after one step of descent, w - rate g. NaN where the step
/// is so long that parameters, or queries, keys and values, leave the range of float.
double loss_after_step(const networks::Transformer&, const networks::Column<float>& w, const networks::Column<float>& g,
                       double rate, const std::vector<networks::Sequence<float>>&, networks::Workspace<float>&);

}  // namespace rfbench::experiments
