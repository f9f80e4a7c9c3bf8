#pragma once
// Sequences to classify: handwritten digits by rows, and values to be recalled by their keys.
#include <functional>
#include <string>
#include <vector>

#include "rfbench/datasets/locate.hpp"
#include "rfbench/training/recall.hpp"
#include "study.hpp"

namespace rfbench::experiments {

struct SequenceTask {
    std::string name;
    Index examples;  ///< to train on and to test
    Index tokens, inputs;
    int classes;
    training::Pooling pooling;

    struct Split {
        std::vector<training::Example> training, test;
    };
    std::function<Split(const Stream&)> split;  ///< drawn
    std::string data_hash;                      ///< of the file it is made from; empty for drawn sequences
};

/// Keys `recall`, `test_share`.
std::vector<config::KeyRule> one_task_keys();
/// The same, `tasks` and `optional_tasks`.
std::vector<config::KeyRule> sequence_task_keys();

/// digits: the 1797 images of optdigits, 8 tokens of 8 pixels from 0 to 1, mean pooling, split at random. recall:
/// drawn, the last token pooled. Throws datasets::DataError where the data are not here, and config::Error for more
/// pairs than keys.
SequenceTask sequence_task(const std::string& name, const config::Value&, const datasets::Warn&);

/// Optional tasks whose data are not here are left out with a note.
struct SequenceTasks {
    std::vector<SequenceTask> all;
    std::vector<std::string> notes;

    explicit SequenceTasks(const config::Value&);
};

/// Stands for the keys `tasks` and `optional_tasks`.
Axis<SequenceTask> task_axis(const std::vector<SequenceTask>&);

}  // namespace rfbench::experiments
