#pragma once
// Linear attention of one head through one of a family of maps, whose parameters are the head's.
#include "rfbench/attention/linear_form.hpp"
#include "rfbench/features/map_family.hpp"
#include "rfbench/training/head_attention.hpp"

namespace rfbench::training {

/// Attention that is linear in its features.
struct LinearHead {
    std::shared_ptr<const features::MapFamily> maps;
    attention::LinearForm form = {};
    bool prefix_sums = false;  ///< causal attention by explicit prefix sums (attention/prefix_sums.hpp)
};

/// The layer; it has a state, which slices hand on (stateful_head.hpp). Gradients are those of attention::backward:
/// features live in tiles. forward() throws std::invalid_argument where a form is asked for that there is not.
std::unique_ptr<HeadAttention> linear_attention(LinearHead);

}  // namespace rfbench::training
