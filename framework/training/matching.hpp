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

/// Softmax attention's property that a head is trained to have too:
///
///     outputs:        |O^ - O|^2 / |O|^2, Frobenius
///     distributions:  the mean over queries of sum_j A_ij log(A_ij / A^_ij), A being the attention weights
///
/// Pairs whose estimated weight is not positive, where the logarithm has no value, are left out of the loss of
/// distributions, and of its gradient.
enum class Matched { outputs, distributions };

/// Trains a head's parameters, from `start`, to match softmax attention over sequences (outputs: Zhang et al. 2024,
/// LoLCATs, (6); distributions: Zhang et al. 2024, Hedgehog, (7), less the entropy, which is constant). Of
/// distributions O(L^2) memory a sequence. Throws as training::descend and HeadPass::backward.
training::DescentResult match_softmax(Matched, const HeadAttention&, const Vector& start,
                                      const std::vector<HeadSequence>&, attention::Visible, const training::Descent&,
                                      const Stream&);

/// Divergence of attention weights from others.
struct Divergence {
    double mean;  ///< over queries, of sum_j A_ij log(A_ij / A^_ij), without the pairs that are lost
    /// Share of the weight of A on pairs whose A^_ij is not positive: where there are any, the divergence is infinite.
    double lost;
};
/// A and A^, a row a query. Throws std::invalid_argument for matrices of different shapes.
Divergence divergence(const Points& weights, const Points& estimated);

/// Trains a head's parameters so that its outputs are those of softmax attention: the loss of a sequence is
/// |O^ - O|^2 / |O|^2, Frobenius. With values = I this is the error of the attention matrix, which the paper distils
/// (Shahbazi et al. 2025, section 10.2). Throws as training::descend and HeadPass::backward.
training::DescentResult match_softmax(const HeadAttention&, const std::vector<HeadSequence>&, attention::Visible,
                                      const training::Descent&, const Stream&);

}  // namespace rfbench::training
