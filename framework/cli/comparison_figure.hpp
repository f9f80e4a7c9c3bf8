#pragma once
#include <vector>

#include "rfbench/comparison/compare.hpp"
#include "rfbench/report/figure.hpp"

namespace rfbench::cli {

/// The first `rows` of what differs: both values over the size of the first, with the interval that the error of their
/// difference allows, and where errors are known the difference in its standard errors.
report::Figure comparison_figure(const std::vector<comparison::Cell>& ranked, std::size_t rows);

}  // namespace rfbench::cli
