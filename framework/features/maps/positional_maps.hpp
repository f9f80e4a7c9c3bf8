#pragma once
// Features of a row and its position in the sequence: rows are d + 1 wide, the last entry being the position 0, 1, ...
#include "rfbench/features/map_family.hpp"

namespace rfbench::features {

/// cosFormer (Qin et al. 2022): 2 d features relu(x) cos(pi n / 2M), relu(x) sin(pi n / 2M) of a row x at position n,
/// so that a pair has the weight relu(x).relu(y) cos(pi (n - m) / 2M), which is not negative between positions 0 .. M.
/// A row without a positive entry is counted as vanished. Throws std::invalid_argument unless d and M are positive; the
/// map throws it for positions outside of 0 .. M.
std::shared_ptr<const FeatureMap> cosformer_map(Index dimension, Index longest);

/// Retention (Sun et al. 2023, RetNet): d features, x turned by n theta_k in its k-th pair of coordinates, theta_k =
/// 10000^(-k / (d/2)), and a scale gamma^n of queries and gamma^(-n) of keys, so that a pair has the weight
/// gamma^(n - m) (turned x).(turned y). A last coordinate without a partner is not turned. The scales are logarithms
/// and never overflow. gamma = 1 / (1 + exp(-z)).
///
/// The family has the parameter z, which begins at `start`; the map alone holds gamma fixed. Both throw
/// std::invalid_argument unless d is positive and 0 < gamma < 1 or, of the map alone, gamma = 1: no decay.
std::shared_ptr<const MapFamily> retention_maps(Index dimension, double start);
std::shared_ptr<const FeatureMap> retention_map(Index dimension, double decay);

}  // namespace rfbench::features
