#pragma once
// Numbers of conversions by seed, as their reports show them.
#include <vector>

#include "rfbench/report/averaged.hpp"

namespace rfbench::experiments {

/// One number a teacher, in the order of the axis `seed`.
using BySeed = std::vector<double>;

/// (m - u) / (s - u), seed by seed: 0 for uniform attention u, 1 for softmax s; NaN for a task that both do equally
/// well.
BySeed recovered_share(BySeed own, const BySeed& softmax, const BySeed& uniform);

/// Mean over the axis `seed` of a result file.
report::Averages over_seeds(const store::Dataset&, BySeed);

}  // namespace rfbench::experiments
