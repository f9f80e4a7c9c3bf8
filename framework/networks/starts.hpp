#pragma once
#include <vector>

#include "rfbench/matrix.hpp"

namespace rfbench::networks {

/// First row of each sequence in a part of a batch, and the end of the last one.
using Starts = std::vector<Index>;

}  // namespace rfbench::networks
