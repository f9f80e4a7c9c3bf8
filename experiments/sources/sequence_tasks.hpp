#pragma once
// Sequences to classify: handwritten digits by rows, and values to be recalled by their keys.
#include <functional>
#include <string>
#include <vector>

#include "rfbench/datasets/locate.hpp"
#include "rfbench/networks/read_out.hpp"
#include "rfbench/networks/sequence.hpp"
#include "sources/source_list.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {

struct SequenceTask {
    std::string name;
    Index examples;  ///< to train on and to test
    Index tokens, inputs;
    int classes;
    networks::ReadOutOf pooling;  ///< mean or last

    struct Split {
        std::vector<networks::Sequence<double>> training, test;
    };
    std::function<Split(const Stream&)> split;  ///< drawn
    std::string data_hash;                      ///< of the file it is made from; empty for drawn sequences
};

/// The tasks there are, with these keys beside their own. digits: the 1797 images of optdigits, 8 tokens of 8 pixels
/// from 0 to 1, mean pooling, split at random. recall: drawn, the last token pooled.
config::Schema sequence_task_schema(std::vector<config::KeyRule> common = {});

/// Throws datasets::MissingData where the data are not here, and config::Error for more pairs than keys, and for a
/// share that leaves no example to train on or to test with.
SequenceTask sequence_task(const config::Value& entry, const std::string& name, const datasets::Warn&);

/// The key `tasks` of studies that take several, and what it says.
config::KeyRule sequence_tasks_key();
SourceList<SequenceTask> sequence_tasks(const config::Value& configuration);

}  // namespace rfbench::experiments
