#pragma once
// The references of the tables: kernel regression with the exact Gaussian kernel, and the class of most training rows.
#include "rfbench/regression/classes.hpp"

namespace rfbench::regression {

/// Classes of the queries by exact kernel regression with K(gamma x, gamma y) = exp(-gamma^2 |x - y|^2 / 2), one result
/// for each gamma. In tiles, O(1) memory a query; the nearest training row's weight is set to one, so that nothing
/// vanishes and every row is decided. Of equal scores the first class wins. Throws std::invalid_argument where |x -
/// y|^2 leaves the range of double.
std::vector<Predictions> kernel_regression(const ClassifiedRows& training, const PointsView& queries,
                                           const std::vector<double>& gammas);

/// The class of most training rows, for n queries.
Predictions majority(const ClassifiedRows& training, Index n);

}  // namespace rfbench::regression
