#pragma once
// Methods of a sweep that some of its samplings cannot draw: they have no cells there.
#include <string>
#include <vector>

#include "study/study.hpp"

namespace rfbench::experiments {

/// A sentence on these for each sampling that cannot draw all methods: which, and why. Empty where the study sweeps no
/// samplings, or each draws all.
std::vector<std::string> undrawn(const Study&, const config::Value& configuration);

}  // namespace rfbench::experiments
