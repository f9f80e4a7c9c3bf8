#pragma once
#include "rfbench/features/map_family.hpp"
#include "rfbench/training/head_attention.hpp"

namespace rfbench::training {

/// Parts of attention that is a sum of two.
enum class Branch { window, linear };

/// Softmax weights of keys that are near and features of those before them, in one sum (Zhang et al. 2025, LoLCATs,
/// (7), with windows that are blocks of tokens): for query i of the block that begins at token b,
///
///     out_i = (g sum_{j = b..i} e_ij v_j + sum_{j < b} f(q_i).f(k_j) v_j) / (g sum e_ij + sum f(q_i).f(k_j)),
///     e_ij = exp((q_i.k_j - max_j q_i.k_j) / sqrt d),   g = 1 / (1 + exp(-t))
///
/// Parameters are t, which begins at -log 9 as the authors' does (g = 0.1), then those of the features. Causal; O(L)
/// time and memory; in double. forward() throws std::invalid_argument where all keys are visible or some are
/// padding. Throws std::invalid_argument for a block below 1, and without maps.
std::unique_ptr<HeadAttention> window_linear_attention(Index block, std::shared_ptr<const features::MapFamily>);

/// The same attention, with the same parameters, without one of its branches: without `linear` it is softmax within
/// blocks, and without `window` linear attention to all visible keys. Null where a head is no such sum.
std::unique_ptr<HeadAttention> without(const HeadAttention&, Branch);

}  // namespace rfbench::training
