#pragma once
// Attention of one head with a mask that is learned.
#include "rfbench/attention/toeplitz_mask.hpp"
#include "rfbench/training/head_attention.hpp"

namespace rfbench::training {

/// Masked attention (Likhosherstov 2022, (4.11)) through features, or of softmax where there is no map. Its parameters
/// z are what the mask is made of, mask numbers |z| (section 4.5.3), all ones to begin with; the gradient of |z| at 0
/// is taken to be 1. The class token's weight, which the thesis holds at one, is learned like the others. `map_for`
/// gives the features for the queries and keys of a sequence; what was fitted is held fixed. Causally, what looks ahead
/// is hidden; then there may be no class token, whose weight is one for both directions, and no `map_for` that fits.
std::unique_ptr<HeadAttention> masked_softmax(const MaskGrid&);
std::unique_ptr<HeadAttention> masked_features(std::shared_ptr<const features::FeatureMap>, const MaskGrid&);
std::unique_ptr<HeadAttention> masked_fitted(MapFor, const MaskGrid&);

}  // namespace rfbench::training
