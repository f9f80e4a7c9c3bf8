#pragma once
// Methods of a sweep that some of its samplings cannot draw, which have no cells there, and methods of which one draw
// costs more than the sweep's budget.
#include <string>
#include <vector>

#include "study/study.hpp"

namespace rfbench::experiments {

/// A sentence on these for each sampling that cannot draw all methods: which, and why. Empty where the study sweeps no
/// samplings, or each draws all.
std::vector<std::string> undrawn(const Study&, const config::Value& configuration);

/// A sentence on each method of which one draw has more real columns than the smallest number under `columns`.
std::vector<std::string> over_budget(const Study&, const config::Value& configuration);

}  // namespace rfbench::experiments
