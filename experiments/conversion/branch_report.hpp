#pragma once
#include <optional>

#include "conversion/recovered.hpp"

namespace rfbench::experiments {

/// Networks whose heads are a window and features in one sum, and the same networks without either. Nothing where there
/// are none.
std::optional<report::Table> branch_table(const Recovered&);

}  // namespace rfbench::experiments
