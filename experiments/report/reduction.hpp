#pragma once
// Difference between a result and its configuration as it stands in its file.
#include <string>
#include <vector>

#include "rfbench/store/dataset.hpp"

namespace rfbench::experiments {

/// An attribute of a result, line by line; nothing where it has none.
std::vector<std::string> attribute_lines(const store::Dataset&, const char* name);

/// The profile of a result, "full" where it is of none.
std::string profile_of(const store::Dataset&);

/// Whether a result is of one of these configurations of the project, as in "variance/gain.yaml"; a result that does
/// not say where it comes from counts as one. Numbers that authors printed stand beside such results alone.
bool is_of(const store::Dataset&, const std::vector<std::string>& configurations);

/// "profile quick, --set repeats=2", "3 stale cells: code has changed": what makes a result less, or other, than its
/// configuration computed by the program at hand; empty where nothing does.
std::string reduction(const store::Dataset&);

}  // namespace rfbench::experiments
