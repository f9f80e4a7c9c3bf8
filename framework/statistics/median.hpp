#pragma once
#include <vector>

namespace rfbench::statistics {

/// The middle value, or the mean of both middle ones; values may be infinite. NaN of none.
double median(std::vector<double> values);

}  // namespace rfbench::statistics
