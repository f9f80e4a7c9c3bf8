#pragma once
// Linear attention whose sums forget: a gate that each token sets (Peng et al. 2021, section 3.2).
#include "rfbench/training/head_attention.hpp"

namespace rfbench::training {

/// S_t = g_t S_(t-1) + (1 - g_t) f(k_t) v_t and z_t likewise, out_t = f(q_t).S_t / f(q_t).z_t, with the gate
/// g_t = 1 / (1 + exp(-(w.k_t + b))) of the head's key; the authors' gate sees the token before the keys are made of
/// it, of which keys are an affine function. Parameters: w (d of them, which begin at 0) and b, which begins at
/// `start`; those of f are fixed. Causal alone: forward() throws std::invalid_argument for all keys. Padding sets no
/// gate. Decays are sums of logarithms in double: no product of gates underflows. Throws std::invalid_argument without
/// a map, for one without gradients and for a start that is not finite.
std::unique_ptr<HeadAttention> gated_attention(std::shared_ptr<const features::FeatureMap> map, Index dimension,
                                               double start);

}  // namespace rfbench::training
