#pragma once
// Checks what a configuration asks of the networks that another one trains, before anything is trained.
#include <string>

#include "study/configuration.hpp"

namespace rfbench::experiments {

/// Throws config::Error where `asking`, which names `foundation` under `from`, asks for a source, seed, layer, head,
/// length or number of sequences that the networks of `foundation` will not have, and where it keeps no networks.
/// `profile` is that of both; empty for the file as it is written.
void require_networks(const config::Value& asking, const Configuration& foundation, const std::string& profile);

}  // namespace rfbench::experiments
