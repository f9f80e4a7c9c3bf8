#pragma once
#include <string>
#include <vector>

namespace rfbench::process {

/// Programs that may be Python, the first to be tried first: the one that RFBENCH_PYTHON names, or else that of the
/// system and that of PATH, which may be of a virtual environment.
std::vector<std::string> pythons();

}  // namespace rfbench::process
