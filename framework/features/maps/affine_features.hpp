#pragma once
// Trained features of u = W'x + b, one function of it or two: T2R and Hedgehog.
#include "rfbench/features/map_family.hpp"

namespace rfbench::features {

/// T2R (Kasai et al. 2021): features relu(W'x + b), m of them, the same for queries and keys. Parameters are W, d x m
/// by columns, then b; training begins at W ~ N(0, 1/d), b = 0. A row whose features are all zero is counted as
/// vanished. Throws std::invalid_argument unless d and m are positive.
std::shared_ptr<const MapFamily> t2r_maps(Index dimension, Index columns);

/// Sum of features of a row: free, or one.
enum class FeatureSum { free, one };

/// Hedgehog (Zhang et al. 2024): 2 m features [exp(W'x), exp(-W'x)], W of queries and W of keys apart; with
/// FeatureSum::one they are divided by their sum, the softmax over features that the authors' program has. Parameters
/// are both W, d x m by columns, that of queries first. Training begins at the identity, as the authors do, with
/// columns beyond d drawn from N(0, 1/d). Features are kept over the largest of their row, whose logarithm is the log
/// scale. Throws std::invalid_argument unless d is positive and the columns are even and positive.
std::shared_ptr<const MapFamily> hedgehog_maps(Index dimension, Index columns, FeatureSum);

}  // namespace rfbench::features
