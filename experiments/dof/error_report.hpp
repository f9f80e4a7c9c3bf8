#pragma once
#include <string>

#include "study.hpp"

namespace rfbench::experiments {

/// The label of `allocation` under which the maps of `mechanisms` stand, to which nothing is allocated.
inline const std::string as_given = "as given";

Report freedom_error_report(const store::Dataset&);

}  // namespace rfbench::experiments
