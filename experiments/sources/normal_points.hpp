#pragma once
#include "rfbench/random/stream.hpp"

namespace rfbench::experiments {

/// rows x dimension independent N(0, 1). The first rows do not depend on how many are drawn.
Points normal_points(const Stream&, Index rows, Index dimension);

}  // namespace rfbench::experiments
