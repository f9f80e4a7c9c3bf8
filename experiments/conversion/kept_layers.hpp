#pragma once
// Layers of a converted network that stay softmax attention.
#include "sources/stored_network.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {

/// The keys `kept` and `keep` of an entry.
std::vector<config::KeyRule> kept_keys();

/// Which layers an entry keeps, ascending: its `kept`, evenly over the depth, at random, or those that matter most: in
/// whose place uniform attention, in that layer alone, raises the loss of these sequences most.
std::vector<Index> kept_layers(const config::Value& entry, const StoredNetwork& teacher,
                               const std::vector<networks::Sequence<float>>&, const Stream&);

}  // namespace rfbench::experiments
