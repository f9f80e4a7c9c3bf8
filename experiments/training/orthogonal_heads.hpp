#pragma once
#include "rfbench/networks/transformer.hpp"
#include "study/method_list.hpp"

namespace rfbench::experiments {

/// The heads of a network, layer by layer, each with its own draw and, where the method has them, its own parameters.
/// Draws are orthogonal where the method's entry says nothing else. `columns`: real ones of a head, at most.
networks::Heads orthogonal_heads(const MethodChoice&, const networks::TransformerShape&, Index columns, const Stream&);

}  // namespace rfbench::experiments
