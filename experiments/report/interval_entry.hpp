#pragma once
#include "rfbench/report/table.hpp"
#include "rfbench/statistics/linear_fit.hpp"

namespace rfbench::experiments {

/// A mean ± half its interval, as tables show it; Missing where the mean is not finite.
report::Entry interval_entry(const statistics::Mean&);

}  // namespace rfbench::experiments
