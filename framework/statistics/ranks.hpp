#pragma once
// Orders of merit and how far two of them agree.
#include <vector>

namespace rfbench::statistics {

/// Rank of each value, 1 for the largest; equal values share the mean of their ranks.
std::vector<double> descending_ranks(const std::vector<double>& values);

/// Kendall's tau-b (Kendall 1945): 1 for the same order, -1 for the opposite one, about 0 for unrelated ones; pairs
/// equal in a or b count as ties. NaN when all of a or all of b are equal. Throws std::invalid_argument when sizes
/// differ or there are fewer than two values.
double kendall_tau(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace rfbench::statistics
