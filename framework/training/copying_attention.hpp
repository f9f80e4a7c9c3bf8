#pragma once
#include "rfbench/training/head_attention.hpp"

namespace rfbench::training {

/// Attention that copies: the output is V, and the gradient with respect to V is the output's. Its cost is a lower
/// bound for any attention. Throws std::invalid_argument unless there are as many queries as values.
std::unique_ptr<HeadAttention> copying_attention();

}  // namespace rfbench::training
