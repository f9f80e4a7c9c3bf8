#pragma once
#include <string>
#include <vector>

#include "rfbench/report/best_mark.hpp"
#include "rfbench/store/dataset.hpp"

namespace rfbench::experiments {

/// Labels of softmax attention or of the exact kernel, which others are compared with: they are never the best.
std::vector<std::string> exact_labels(const store::Dataset&);

}  // namespace rfbench::experiments
