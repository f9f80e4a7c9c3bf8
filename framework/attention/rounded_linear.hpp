#pragma once
// Causal linear attention as it comes out of memory that holds half precision.
#include "rfbench/attention/inputs.hpp"
#include "rfbench/attention/number_format.hpp"
#include "rfbench/features/feature_map.hpp"

namespace rfbench::attention {

/// Parts that are rounded to a format; null: kept in double.
struct Rounding {
    const NumberFormat* features = nullptr;  ///< features of queries and keys
    const NumberFormat* state = nullptr;     ///< each addition to the sums over keys
    const NumberFormat* output = nullptr;    ///< numerators, denominators and their quotients
    /// With row scales features have entries of at most 1, and sums are kept relative to the largest key so far.
    /// Without them features are rounded as they are, and may leave the range of the format.
    bool row_scales = true;
};

/// Counts of output rows by what became of them.
struct RoundedOutcome : Outcome {
    Index nonfinite = 0;  ///< rows with a NaN or an infinity
};

/// out_i = sum_{j <= i} K^(q_i, k_j) v_j / sum_{j <= i} K^(q_i, k_j) with K^ the estimate of `map`, token by token:
/// the state S = S + phi(k_j) [v_j, 1] is rounded after each addition. Products with a query are summed in double, as
/// matrix units sum those of half precision in single. `out` is L x e. O(L R (d + e)) time, O(L R) memory. With row
/// scales weights of keys beyond 2^max_exponent count as about that much, as KeyWeights (feature_sums.hpp) has them.
/// Throws as check() and check_map() (parts.hpp) do.
RoundedOutcome causal_rounded(const features::FeatureMap& map, const Inputs<double>& in, const Rounding&, Points& out);

}  // namespace rfbench::attention
