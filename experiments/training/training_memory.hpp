#pragma once
// Estimates of the memory that a training takes, for plans and for studies that compare it.
#include "training/network_training.hpp"

namespace rfbench::experiments {

/// Tokens that a thread takes through the network at a time: of whole sequences (networks/transformer.hpp).
Index part_rows(Index length, Index batch);

/// Estimate of the bytes that the gradient of a part of `rows` tokens takes, by any attention of ours.
double gradient_bytes(const networks::TransformerShape&, Index rows);

/// Estimate of the peak bytes of a training: parameters with their gradients and Adam's means, gradient_bytes of a
/// part, outputs of its tokens, and the maps and features of all heads, by the method that takes the most. `columns`
/// are the real columns of a head where its entry has none of its own.
double training_bytes(const networks::TransformerShape&, const Axis<MethodChoice>&, Index columns);
/// The same of softmax attention, which has no features.
double training_bytes(const networks::TransformerShape&);

}  // namespace rfbench::experiments
