#pragma once
// Averages of log variances over the pairs (x_i, y_j) of two sets: over all of them, or over random blocks.
#include <cstdint>
#include <optional>

#include "rfbench/features/mechanism.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::features {

/// Averages over pairs. A pair whose variance is 0 has no logarithm: it is counted, and left out of the averages. These
/// are NaN where no other pair is there.
struct PairAverages {
    /// A mean over pairs, and its standard error as an estimate of the mean over all pairs: 0 if all were taken.
    struct Mean {
        double value;           ///< natural logarithm
        double standard_error;  ///< of that value
    };

    std::int64_t pairs = 0;         ///< that were taken
    std::int64_t zeros = 0;         ///< those of them whose variance is 0
    Mean log_variance = {};         ///< log Var of one draw
    double log_variance_sd = 0;     ///< standard deviation of the same over pairs
    std::optional<Mean> estimator;  ///< log Var of the estimator of M draws; nothing where it has no closed form
};

/// Averages over all pairs of a row of x, n x d, and one of y, n' x d. Takes O(n n' d), shared by threads, with the
/// same bits for any number of them, and memory for a tile of pairs a thread. `count`: M of the estimator.
PairAverages average_pairs(const MechanismWithMoments&, const PointsView& x, const PointsView& y,
                           const sampling::Scheme&, Index count);

/// The same of so many blocks, each all pairs of 64 rows of x and 64 of y, drawn with replacement. Blocks are
/// independent and alike: the standard error is that of the mean of their ratios (Cochran 1977, (6.9)). Throws
/// std::invalid_argument for fewer than two blocks.
PairAverages average_drawn_pairs(const MechanismWithMoments&, const PointsView& x, const PointsView& y,
                                 const sampling::Scheme&, Index count, Index blocks, const Stream&);

/// The mean of log K = -|x - y|^2 / 2 over all pairs, from the spread of both sets about the mean of x: O((n + n') d),
/// and no difference of large numbers.
double mean_log_kernel(const PointsView& x, const PointsView& y);

}  // namespace rfbench::features
