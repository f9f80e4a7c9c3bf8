#pragma once
// Layers of a converted network that stay softmax attention.
#include "sources/stored_network.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {

/// The keys `kept` and `keep` of an entry.
std::vector<config::KeyRule> kept_keys();

/// Throws config::Error where the entry says which layers stay softmax and none does.
void require_layers_to_keep(const config::Value& entry);

/// Layers that stay softmax, ascending; `kept` of the entry is their number, `keep` the rule. even: evenly over the
/// depth. random: uniformly. importance: layers with the largest loss on these sequences when that layer alone has
/// uniform attention.
std::vector<Index> kept_layers(const config::Value& entry, const StoredNetwork& teacher,
                               const std::vector<networks::Sequence<float>>&, const Stream&);

}  // namespace rfbench::experiments
