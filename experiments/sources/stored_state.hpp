#pragma once
// The state of a trainer in a checkpoint.
#include "rfbench/networks/trainer.hpp"
#include "rfbench/store/dataset.hpp"

namespace rfbench::experiments {

/// Adds the variables `weights`, `mean`, `square` and `scalars`. Every float is a double there, so that a training that
/// goes on from a checkpoint comes to the same bits.
void add_state(store::Dataset&, const networks::Trainer<float>::State&);
/// The state that add_state() added. Throws std::out_of_range where there is none.
networks::Trainer<float>::State stored_state(const store::Dataset&);

}  // namespace rfbench::experiments
