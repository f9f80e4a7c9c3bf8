#pragma once
// The best of several contenders that were measured on the same repeats.
#include <string>
#include <vector>

namespace rfbench::decisions {

struct Contender {
    std::string name;
    std::vector<double> values;  ///< one a repeat, in the order of all contenders
};

/// A contender's mean, and by how much it is worse than the best one's.
struct Ranked {
    std::string name;
    double mean, half_width;  ///< of Student's interval; NaN for fewer than two repeats
    double worse_by, worse_by_half_width;
    bool told_apart;  ///< from the best one, all together at the error `1 - confidence` (Holm 1979)
};

/// The differences that are tested: of the values, or of their logarithms, as errors of heavy tails need.
enum class Tested { values, logarithms };

/// The best first, by the mean; differences from it are paired by repeat, with the overlap of random splits
/// (statistics/paired_test.hpp). Throws std::invalid_argument for no contender, for numbers of repeats that differ, and
/// for logarithms of values that are not positive.
std::vector<Ranked> ranking(const std::vector<Contender>&, bool larger_is_better, double overlap, double confidence,
                            Tested = Tested::values);

}  // namespace rfbench::decisions
