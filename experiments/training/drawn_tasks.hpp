#pragma once
// What studies of networks that are trained on drawn sequences share: mini-batches that never come again, and the table
// of all rates.
#include "rfbench/report/averaged.hpp"
#include "training/network_training.hpp"

namespace rfbench::experiments {

/// Sequence number i of a mini-batch, or of what is looked at, by its stream.
using DrawnSequence = std::function<networks::Sequence<float>(Index i, const Stream&)>;

std::vector<networks::Sequence<float>> drawn_sequences(const DrawnSequence&, Index count, const Stream&);

/// The shape of a causal network that is trained on such sequences.
networks::TransformerShape drawn_task_shape(const NetworkSetting&, Index vocabulary, Index length, Index convolution);

/// Mini-batches of fresh sequences, the same for all methods, rates and shapes: of `seed` and the step alone.
/// Validation sequences are `validation` others, of `study`, the same for all seeds.
NetworkRun train_on_drawn(const NetworkSetting&, const networks::TransformerShape&, const MethodChoice&, double rate,
                          const Stream& study, std::uint64_t seed, Index validation, engine::Draft&,
                          const DrawnSequence&, const std::function<void(networks::Trainer<float>&)>& finish);

/// About what such a training takes, in bytes: parameters and what belongs to them, and parts of a mini-batch.
double training_bytes(const networks::TransformerShape&);
/// Tokens that a thread takes through the network at a time: of whole sequences (networks/transformer.hpp).
Index part_rows(Index length, Index batch);
/// About what the gradient takes of that for a part of so many tokens, by any attention of ours, in bytes.
double gradient_bytes(const networks::TransformerShape&, Index rows);

/// A method in one setting of the study's other axes.
struct TableLine {
    report::Fixed where;                 ///< those axes
    std::vector<report::Entry> entries;  ///< what the first columns say of them, and the method
    std::string method;
};

/// Accuracy on validation sequences after the last step, a line a row, a rate a column: means over the seeds that did
/// not diverge ± half their 95 % intervals; then the rate that is chosen, and what diverged at which.
report::Table rates_table(const store::Dataset&, const std::string& name, std::vector<report::Column> first,
                          const std::vector<TableLine>&);

/// A mean over seeds of the method at its best rate there, with an axis of x left.
report::Averages at_best_rate(const store::Dataset&, const std::string& variable, const std::string& method,
                              const report::Fixed& where, const report::Fixed& more = {});

}  // namespace rfbench::experiments
