#pragma once
// Comparing two methods over repeated random splits of one data set.
#include <vector>

namespace rfbench::statistics {

/// Mean and interval of n paired differences over random splits.
struct PairedDifference {
    double mean;        ///< of the differences
    double half_width;  ///< of the confidence interval
    double p;           ///< two-sided, of the mean being zero; 1 when all differences are zero, or one is not finite
};

/// Training sets of random splits overlap, so differences are correlated and the plain t-test finds too much: the
/// variance of their mean is taken as (1/n + test_rows / training_rows) times theirs, with n - 1 degrees of freedom
/// (Nadeau and Bengio 2003). Throws std::invalid_argument for fewer than two differences, a ratio below 0 or a level
/// outside (0, 1).
PairedDifference paired_difference(const std::vector<double>& differences, double test_to_training, double level);

/// p-values adjusted for the whole family, in the given order: reject where the result is at most the family's error
/// (Holm 1979).
std::vector<double> holm(const std::vector<double>& p);

}  // namespace rfbench::statistics
