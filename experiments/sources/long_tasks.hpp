#pragma once
// Long sequences of a class each: lists to be evaluated, which are drawn, and images pixel by pixel or patch by patch.
#include <functional>
#include <string>
#include <vector>

#include "rfbench/networks/sequence.hpp"
#include "sources/source_list.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {

struct LongTask {
    using Sequences = std::vector<networks::Sequence<float>>;

    std::string name, data_hash;  ///< the hash is of the files it is made from; empty for drawn sequences
    Index vocabulary, inputs;     ///< one of them is zero (networks/embedding.hpp)
    Index longest;                ///< tokens
    int classes;
    Index batch;  ///< sequences a mini-batch

    std::function<Sequences(const Stream&)> mini_batch;  ///< of what is trained on; target 0 is the class
    std::function<Sequences(Index most)> validation, test;
    /// Share of what is held out that a linear classifier of whole sequences is right of; none where lengths differ.
    std::function<double(Index most)> linear = {};
};

/// The keys of lists that are drawn: their lengths, depth and arguments.
std::vector<config::KeyRule> list_keys();
/// Lists to be evaluated, as an entry with these keys says. Sequences to look at are drawn from `stream` and the name.
/// Throws config::Error where they cannot be drawn.
LongTask drawn_lists(const config::Value& entry, const std::string& name, Index batch, const Stream& stream);

/// Key `tasks`. lists: drawn (training/list_operations.hpp); pixels: images whose patches are tokens (images.hpp), of a
/// pixel each unless given. An entry has its own `batch`, which is the study's unless given.
config::KeyRule long_tasks_key();

/// Sequences to validate and to test with are drawn from `stream` and a task's label alone; the streams that
/// mini-batches are drawn from must be others. Throws config::Error at the place of lists that cannot be drawn.
SourceList<LongTask> long_tasks(const config::Value& configuration, const Stream& stream);

}  // namespace rfbench::experiments
