#pragma once
// One measured value held against a threshold: what speaks for a claim, and what against it.
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace rfbench::decisions {

/// Relation of the truth to the thresholds that a claim states.
enum class Relation {
    above,        ///< beyond `low`
    below,        ///< short of `high`
    within,       ///< between both: equivalence, by two one-sided tests (Schuirmann 1987)
    not_above,    ///< a bound, which holds unless the truth is beyond `high`
    not_below,    ///< a bound, which holds unless the truth is short of `low`
    not_outside,  ///< both bounds
};

/// Bounds hold until they are seen violated; everything else must be shown.
bool is_bound(Relation);

/// Thresholds; that which the relation does not name is not looked at.
struct Threshold {
    Relation relation;
    double low, high;
};

/// Estimate, interval and p-values of one value. Each p-value is the largest probability of so much evidence where it
/// is misleading: p_for where the claim is false, p_against where it is true. Directions that could both be found are
/// tested two-sided. A bound has no p_for: it is 1.
struct Evidence {
    double estimate;
    double low, high;  ///< interval at `level`; both the estimate where there is no error
    double p_for, p_against;
    std::uint64_t count;  ///< repeats, trials, or 1
};

/// A value without error, as a closed form has. Equal to a threshold is within, and neither above nor below it.
Evidence exact_evidence(double value, const Threshold&);

/// Mean of independent repeats, by Student's law. Where splits overlap, `test_to_training` is the ratio of their rows,
/// by which the variance of the mean is (1/n + ratio) times theirs (Nadeau and Bengio 2003); 0 otherwise. A single
/// value is no evidence either way; equal values have no error. Throws std::invalid_argument for no value, a ratio
/// below 0 or a level outside (0, 1).
Evidence mean_evidence(const std::vector<double>& values, double test_to_training, const Threshold&, double level);

/// A probability after `successes` of `trials`, by binomial tails: the tests whose interval is that of Clopper and
/// Pearson (1934). Throws as statistics::clopper_pearson does.
Evidence share_evidence(std::uint64_t successes, std::uint64_t trials, const Threshold&, double level);

/// A normal value of known standard error, as a z-score is with 1. Throws std::invalid_argument for an error that is
/// not above 0.
Evidence normal_evidence(double value, double standard_error, const Threshold&, double level);

/// Fewest repeats n at which a mean or a share that comes out as it has would decide, for or against, at p <= level;
/// none up to 10^6. `at`: the evidence of n repeats.
std::optional<std::uint64_t> deciding_count(std::uint64_t first, double level,
                                            const std::function<Evidence(std::uint64_t n)>& at);

/// Evidence of n repeats with the mean and the spread of these.
Evidence repeated(const std::vector<double>& values, std::uint64_t n, double test_to_training, const Threshold&,
                  double level);

}  // namespace rfbench::decisions
