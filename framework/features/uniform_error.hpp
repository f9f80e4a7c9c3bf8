#pragma once
// How far estimates of the attention matrix A = exp(Q K' / sqrt d) are off at worst: over the entries for given rows,
// and over all rows of a ball. Rows are scaled, x = Q d^(-1/4) and y = K d^(-1/4), so that A = exp(x.y) = exp((|x|^2 +
// |y|^2)/2) K(x, y).
#include <vector>

#include "rfbench/features/feature_map.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::features {

/// The largest |A^_ij - A_ij| over i, j < n for each n of `lengths`, in tiles: no matrix of L x L is held. x and y:
/// L x d, of the same length. Infinite for all when an estimate overflows. Throws std::invalid_argument when lengths
/// are none or not ascending, from 1 to L.
std::vector<double> largest_entry_errors(const FeatureMap&, const RowsView<float>& x, const RowsView<float>& y,
                                         const std::vector<Index>& lengths);

/// The search for the largest error over a ball: `candidates` random points, ascents of `steps` steps from the best
/// `starts`. What it finds is a lower bound on the supremum.
struct BallSearch {
    Index candidates = 128;  ///< random points, at least `starts`
    Index starts = 8;        ///< the best of them, from which the ascents go
    int steps = 25;          ///< of each ascent
};

/// sup |A^ - A| over |x|, |y| <= radius for trigonometric features. It depends on x - y alone once |x| = |y| = radius:
/// exp(radius^2) sup |mean cos(w.z) - exp(-|z|^2/2)| over |z| <= 2 radius. d >= 2.
double largest_trigonometric_error(const Projections& omega, double radius, const BallSearch&, const Stream&);

/// The same for generalized exponential features with t = +1 and real A (positive features: A = 0), where it is largest
/// at x = y = z/2: sup |exp(-|z|^2/4) mean D^2 exp(2A|w|^2 + sqrt(1-4A) w.z) - exp(|z|^2/4)| over |z| <= 2 radius,
/// D^2 = (1-4A)^(d/2).
double largest_exponential_error(const Projections& omega, double a, double radius, const BallSearch&, const Stream&);

}  // namespace rfbench::features
