#pragma once
// The numbers under a figure's points, for readers of the page who want to know one of them or cannot see the picture.
#include <string>

#include "rfbench/report/figure.hpp"

namespace rfbench::report {

/// A table in HTML that opens on demand: panel, series, x, y, and the interval or z where there is one, to four digits.
/// Empty for a figure of more than `max_rows` points, whose CSV has them.
std::string numbers_part(const Figure&, std::size_t max_rows = 1000);

}  // namespace rfbench::report
