#pragma once
#include "conversion/recovered.hpp"
#include "rfbench/report/figure.hpp"

namespace rfbench::experiments {

/// Weights of attention, mean over heads, of a source each: softmax before, and swapped, distilled and tuned. None in
/// files of rfbench before these were stored.
std::vector<report::Figure> picture_figures(const Recovered&);

}  // namespace rfbench::experiments
