#pragma once
// The best methods for a use: how they are shown.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rfbench/decisions/ranking.hpp"
#include "rfbench/report/figure.hpp"
#include "rfbench/report/table.hpp"
#include "rfbench/store/dataset.hpp"

namespace rfbench::cli {

/// Mean ranks over data sets, 1 the best, of methods with a value on each of them.
struct SetRanks {
    std::map<std::string, double> mean;
    std::size_t sets;
    double critical;  ///< ranks that are less than that apart are not told apart (Nemenyi, Demsar 2006)
};

struct Recommendation {
    std::string configuration, words;  ///< of the results; of the value
    std::string paired_by;             ///< an axis
    std::vector<decisions::Ranked> ranked;
    std::map<std::string, std::string> against;  ///< by the name of the method
    std::optional<SetRanks> ranks = {};
    bool by_logarithms = false;  ///< differences are tested so
    std::string more;            ///< where all of them are to be seen
};

/// The best three.
report::Table recommended_table(const Recommendation&);

/// All of them, the best on top, with their intervals.
report::Figure recommended_figure(const Recommendation&);

/// Drawbacks of a method that its results do not tell: by what is known of the mechanism that `label` stands for.
std::vector<std::string> known_drawbacks(const store::Dataset&, const std::string& label);

}  // namespace rfbench::cli
