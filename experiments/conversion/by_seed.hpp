#pragma once
// Numbers of conversions by seed, as their reports show them.
#include <string>
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

/// "'positive' on text diverged for 1 of 3 teachers, ..."; empty where it did for none.
std::string divergence_note(const BySeed& diverged_at, const std::string& method, const std::string& source);
/// A sentence for each source of which all seeds have the same network. Files of earlier versions do not say.
std::vector<std::string> one_network_notes(const store::Dataset&);

}  // namespace rfbench::experiments
