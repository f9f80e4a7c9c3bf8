#pragma once
// The matrix of weights of a network's head on one sequence.
#include "rfbench/networks/transformer.hpp"

namespace rfbench::experiments {

/// A of head h of layer r, queries by keys, from the rows that Transformer::heads() gives. Each head computes by its
/// own method, so that estimated weights are as they are, signs and all. Each row of a head that normalizes its
/// output by group (RetNet) has a factor of its own.
Points head_weights(const networks::Transformer&, const networks::Weights<float>&, Index r, Index h,
                    const networks::Transformer::HeadRows<float>&);

}  // namespace rfbench::experiments
