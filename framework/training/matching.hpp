#pragma once
#include <vector>

#include "rfbench/training/descent.hpp"
#include "rfbench/training/head_attention.hpp"

namespace rfbench::training {

/// Queries, keys and values of one head over one sequence.
struct HeadSequence {
    Points queries, keys, values;  ///< L x d, L x d, L x e
};

/// How far outputs are from those of softmax attention, over sequences.
struct Mismatch {
    double relative_error;  ///< |O^ - O| / |O|, Frobenius, over all sequences
    double nonpositive;     ///< share of output rows whose denominator is not positive
};

/// Throws as HeadAttention::forward, and std::invalid_argument without sequences.
Mismatch mismatch(const HeadAttention&, const Vector& parameters, const std::vector<HeadSequence>&, attention::Visible);

/// Trains a head's parameters so that its outputs are those of softmax attention: the loss of a sequence is
/// |O^ - O|^2 / |O|^2, Frobenius. With values = I this is the error of the attention matrix, which the paper distils
/// (Shahbazi et al. 2025, section 10.2). Throws as training::descend and HeadPass::backward.
training::Descended match_softmax(const HeadAttention&, const std::vector<HeadSequence>&, attention::Visible,
                                  const training::Descent&, const Stream&);

}  // namespace rfbench::training
