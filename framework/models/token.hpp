#pragma once
#include <cstdint>

namespace rfbench::models {

/// The number of a token in the vocabulary, from 0.
using Token = std::int32_t;

}  // namespace rfbench::models
