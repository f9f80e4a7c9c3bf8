#pragma once
#include "rfbench/training/head_attention.hpp"

namespace rfbench::training {

/// Values to the output, and the output's gradient back to them: what any attention costs at least. Throws
/// std::invalid_argument unless there are as many queries as values.
std::unique_ptr<HeadAttention> copying_attention();

}  // namespace rfbench::training
