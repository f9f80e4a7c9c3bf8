#pragma once
#include "sources/network_tasks.hpp"

namespace rfbench::experiments {

/// Keys of a GPT-2 model of the user's that goes on with a text of the user's.
std::vector<config::KeyRule> model_task_keys();

/// The next token of the text, by the model's own tokens; the network is the model, with as many positions as sequences
/// have tokens. Throws config::Error and datasets::DataError at the place of what cannot be.
NetworkTask model_task(const config::Value& entry);

}  // namespace rfbench::experiments
