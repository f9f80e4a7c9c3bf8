#pragma once
// Losses of learned features, and their gradients.
#include <vector>

#include "rfbench/attention/inputs.hpp"
#include "rfbench/dof/weighted_features.hpp"

namespace rfbench::dof {

/// Queries and keys of one head over one sequence.
struct Sequence {
    Points queries, keys;  ///< L x d, L' x d
};

/// Throws as attention::check() does, and std::invalid_argument without queries or without keys.
void check(const Sequence&, attention::Visible);

/// Throws std::invalid_argument for points, d x M, of other coordinates than queries.
void check_points(const Projections& points, const Sequence&);

/// Objective that is minimized.
enum class Loss {
    /// sum (K - K^)^2 / sum K^2 over the pairs that see each other: the paper's L2 loss, in units of the kernel's size.
    squared,
    /// The mean over queries of the Kullback-Leibler divergence of the attention weights K^ / sum K^ from those of
    /// softmax attention: the paper's softmax loss less the entropy, which is constant, and with the factor 1 / sqrt d
    /// that its print lacks, so that K^ = K is the minimum (docs/mechanisms.md).
    softmax,
};

/// A loss and its gradient.
struct LossAndGradient {
    double loss = 0;     ///< infinite where an estimate is lost
    Projections points;  ///< d x M
    Vector log_weights;  ///< M
    /// Pairs whose estimate underflows although their weight does not: they make the softmax loss infinite and are left
    /// out of its gradient.
    Index lost = 0;
};

/// Mean loss over sequences, with the features of WeightedFeatures (Nishikawa, Higuchi and Suzuki 2025, section 3.3).
/// O(L L' M) a sequence. Throws as check() and check_points() do, and std::invalid_argument without sequences.
LossAndGradient evaluate(Loss, attention::Visible, const WeightedFeatures&, const std::vector<const Sequence*>&);

/// The same loss of any features of the softmax kernel. The softmax loss is infinite where an estimate that carries
/// weight is not positive. Throws as check() does, and as the map does for rows it was not drawn for.
double loss(Loss, attention::Visible, const features::FeatureMap&, const Sequence&);

/// The logarithm of the squared loss, which double may not hold: features that oscillate miss the kernel of large heads
/// by any power of ten. Throws likewise.
double log_squared_loss(attention::Visible, const features::FeatureMap&, const Sequence&);

}  // namespace rfbench::dof
