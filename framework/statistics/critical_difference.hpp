#pragma once
// Several methods on several data sets, compared by their ranks (Demsar 2006): Friedman's test of all being level, the
// difference of mean ranks that Nemenyi's test takes for one, and what is level by it.
#include <cstddef>
#include <utility>
#include <vector>

namespace rfbench::statistics {

/// P(range of k independent N(0, 1) <= q) = k int phi(z) (Phi(z) - Phi(z - q))^(k - 1) dz, the studentized range with
/// infinitely many degrees of freedom. Throws std::invalid_argument for k < 2.
double range_probability(double q, int k);

/// The q of that probability. Throws std::invalid_argument for k < 2 and a probability outside (0, 1).
double range_quantile(double probability, int k);

/// k methods ranked on each of N data sets, 1 the largest value; equal values share the mean of their ranks.
struct MeanRanks {
    std::vector<double> mean;  ///< k, over data sets
    std::size_t sets;          ///< N
    double chi_squared;        ///< Friedman's, corrected for ties; NaN where all methods are equal on all sets
    double p;                  ///< by chi squared with k - 1 degrees of freedom; 1 where that is NaN
    double f;                  ///< (N - 1) chi^2 / (N (k - 1) - chi^2), less conservative (Iman and Davenport 1980)
    double p_of_f;             ///< by F with k - 1 and (k - 1)(N - 1) degrees of freedom
};

/// `values`: one vector of k values for each data set. Throws std::invalid_argument for fewer than two data sets or
/// methods, for vectors of different lengths and for a NaN.
MeanRanks mean_ranks(const std::vector<std::vector<double>>& values);

/// Nemenyi's critical difference q / sqrt(2) sqrt(k (k + 1) / (6 N)), q the range's quantile at 1 - error: mean ranks
/// further apart differ, with that family-wise error over all pairs. Throws as range_quantile(), and for no data sets.
double critical_difference(std::size_t methods, std::size_t sets, double error);

/// Two-sided p values of all mean ranks against that of method `control`, whose own is 1: normal, with the standard
/// error sqrt(k (k + 1) / (6 N)), adjusted for the k - 1 comparisons (Holm 1979). Throws std::out_of_range for a
/// control that there is not.
std::vector<double> against_control(const MeanRanks&, std::size_t control);

/// Longest runs of ranks in ascending order whose first and last are less than `difference` apart, as {first, last};
/// runs of one, and runs within others, are left out.
std::vector<std::pair<std::size_t, std::size_t>> level_runs(const std::vector<double>& ascending, double difference);

}  // namespace rfbench::statistics
