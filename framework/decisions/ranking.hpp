#pragma once
// The best of several contenders that were measured on the same repeats.
#include <string>
#include <vector>

namespace rfbench::decisions {

struct Contender {
    std::string name;
    std::vector<double> values;  ///< one a repeat, in the order of all contenders
};

/// A contender's mean and how far it is behind the best one.
struct Ranked {
    std::string name;
    double mean, half_width;  ///< of Student's interval; NaN for fewer than two repeats
    double behind, behind_half_width;
    bool level;  ///< with the best one: the difference is not shown, all together at the error `1 - confidence` (Holm)
};

/// The best first, by the mean; differences from it are paired by repeat, with the overlap of random splits
/// (statistics/paired_test.hpp). Throws std::invalid_argument for no contender, and for numbers of repeats that differ.
std::vector<Ranked> ranking(const std::vector<Contender>&, bool larger_is_better, double overlap, double confidence);

}  // namespace rfbench::decisions
