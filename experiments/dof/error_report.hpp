#pragma once
#include <string>

#include "study/study.hpp"

namespace rfbench::experiments {

/// The label of `allocation` under which methods stand whose number of columns is their own.
inline const std::string as_given = "as given";

Report freedom_error_report(const store::Dataset&);

}  // namespace rfbench::experiments
