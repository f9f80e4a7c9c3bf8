#pragma once
// A figure as the file it is drawn from.
#include <string>

#include "rfbench/report/figure.hpp"

namespace rfbench::report {

/// The figure in JSON, as docs/results.md describes it: UTF-8, numbers that read back as the same doubles, null for
/// NaN, "inf" and "-inf"; what has its default is left out, and a list of numbers is one line. Bytes that are no UTF-8
/// become U+FFFD.
std::string figure_json(const Figure&);

}  // namespace rfbench::report
