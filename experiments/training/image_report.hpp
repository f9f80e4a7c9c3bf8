#pragma once
#include "study/study.hpp"

namespace rfbench::experiments {

/// Report of training/images: accuracies against steps and on the test set, the gain of a mask, masks that were
/// learned, and attention matrices of trained heads. A method whose label is that of another and ", masked" is taken
/// for the same with a mask.
Report image_report(const store::Dataset&);

}  // namespace rfbench::experiments
