#pragma once
// Shared parts of studies on drawn sequences: mini-batches that never come again.
#include "training/network_training.hpp"

namespace rfbench::experiments {

/// Sequence number i of a mini-batch, or of validation data, by its stream.
using DrawnSequence = std::function<networks::Sequence<float>(Index i, const Stream&)>;

std::vector<networks::Sequence<float>> drawn_sequences(const DrawnSequence&, Index count, const Stream&);

/// The shape of a causal network that is trained on such sequences.
networks::TransformerShape drawn_task_shape(const NetworkSetting&, Index vocabulary, Index length, Index convolution);

/// Mini-batches of fresh sequences, the same for all methods, rates and shapes: of `seed` and the step alone.
/// Validation sequences are `validation` others, of `study`, the same for all seeds.
TrainedNetwork train_on_drawn(const NetworkSetting&, const networks::TransformerShape&, const MethodChoice&,
                              const Stream& study, std::uint64_t seed, Index validation, engine::Checkpoint&,
                              const DrawnSequence&, const std::function<void(networks::Trainer<float>&)>& finish);

}  // namespace rfbench::experiments
