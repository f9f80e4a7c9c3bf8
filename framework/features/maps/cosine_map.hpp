#pragma once
// Positive features whose directions are those of cosine transforms (sampling dct, dct-columns), by fast transforms: a
// row takes O(M log d), not O(M d).
#include <optional>

#include "rfbench/features/maps/exponential_map.hpp"
#include "rfbench/sampling/cosine_rows.hpp"

namespace rfbench::features {

/// Which directions the columns of W lie along, W_m = radii_m c_m.
struct CosineProjections {
    sampling::CosineSide side;
    Vector radii;  ///< M
};
/// Nothing when some column is not a multiple of its direction to rounding.
std::optional<CosineProjections> cosine_projections(const Projections& weights);

/// The features of exponential_map(side, side), to rounding, by fast transforms. Throws std::invalid_argument when W is
/// not along cosine directions, or the row term has a linear or quadratic part. Gradients go through the dense matrix.
std::unique_ptr<FeatureMap> cosine_map(const ExponentialSide& side);

/// exponential_map(side, side); from the dimension on where it is faster, cosine_map(side), if it can be.
std::unique_ptr<FeatureMap> cosine_or_dense_map(const ExponentialSide& side);

}  // namespace rfbench::features
