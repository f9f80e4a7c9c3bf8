#pragma once
#include <optional>

#include "conversion/recovered.hpp"
#include "rfbench/report/figure.hpp"

namespace rfbench::experiments {

/// Networks trained from scratch beside converted ones. Nothing where none was.
std::optional<report::Table> scratch_table(const Recovered&);
/// Their curves beside those of tuning, of a result that has such networks.
report::Figure scratch_figure(const Recovered&);

}  // namespace rfbench::experiments
