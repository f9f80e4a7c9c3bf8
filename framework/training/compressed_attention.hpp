#pragma once
// Softmax attention to fewer keys than there are tokens, as a layer that is trained. Linformer and Nystrom attention
// mix all tokens: their forward() throws std::invalid_argument for causal attention.
#include "rfbench/attention/lsh.hpp"
#include "rfbench/attention/window.hpp"
#include "rfbench/training/head_attention.hpp"

namespace rfbench::training {

/// Linformer with mixing matrices that are trained (attention/linformer.hpp): the parameters are E, then F, `mixed` x
/// `length` each, row after row, which begin as independent N(0, 1 / mixed). A sequence has at most `length` tokens.
/// Throws std::invalid_argument unless both are positive.
std::unique_ptr<HeadAttention> linformer_attention(Index mixed, Index length);

/// Linformer with one matrix, k x L', that mixes keys and values and is not trained (Likhosherstov 2022, section 3.7).
/// A sequence of n keys is mixed by its first n columns.
std::unique_ptr<HeadAttention> drawn_linformer_attention(const Projections& mixing);

/// Nystrom attention (attention/nystrom.hpp) by way of so many landmarks, or of all tokens where they are fewer. Throws
/// std::invalid_argument unless there is one.
std::unique_ptr<HeadAttention> nystrom_attention(Index landmarks);

/// Attention within buckets of an angular hash, causal or not (attention/lsh.hpp); gradients hold the buckets fixed.
std::unique_ptr<HeadAttention> lsh_attention(attention::Hashing);

/// Attention to the keys that are near and to the first ones, causal or not (attention/window.hpp).
std::unique_ptr<HeadAttention> window_attention(const attention::Window&);

}  // namespace rfbench::training
