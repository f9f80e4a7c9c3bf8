#pragma once
// A sequence in parts that threads share: their lengths depend on the sequence alone, so that sums have the same bits
// whoever makes them.
#include <algorithm>
#include <vector>

#include "rfbench/attention/feature_sums.hpp"

namespace rfbench::attention {

/// Rows whose features are in memory at a time.
inline constexpr Index rows_at_once = 120;

/// Parts of a sequence.
struct Parts {
    Index length, step, count;  ///< rows, rows of each part but the last, parts

    explicit Parts(Index rows)
        : length(rows), step(std::max<Index>(8 * rows_at_once, (rows + 31) / 32)), count((rows + step - 1) / step) {}
    /// The first row of a part; of part `count`, the length.
    Index first(Index part) const { return std::min(length, part * step); }
};

/// Throws std::invalid_argument, before threads start, for a map that has no columns or was drawn for another
/// dimension, and as check_entries() does.
template <class Scalar>
void check_map(const features::FeatureMap&, const Inputs<Scalar>&);

/// Throws NotFinite for queries or keys with entries beyond FeatureMap::largest_entry().
template <class Scalar>
void check_entries(const features::FeatureMap&, const Inputs<Scalar>&);

/// Throws std::invalid_argument for sums of other features or other columns of values.
template <class Scalar>
void check_state(const features::FeatureMap&, const Inputs<Scalar>&, const FeatureSums<Scalar>& state);

/// The sums of all keys.
template <class Scalar>
FeatureSums<Scalar> sum_all_keys(const features::FeatureMap&, const Inputs<Scalar>&);

}  // namespace rfbench::attention
