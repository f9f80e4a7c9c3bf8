#pragma once
// Fits with a penalty, of ridge regressions and of support vector machines, read from a result file: their penalty is
// chosen with gamma.
#include <string>
#include <vector>

#include "regression/accuracies.hpp"

namespace rfbench::experiments {

/// A variable to be shown, at the gamma and the penalty where another is least.
struct Choice {
    const char *least, *shown;
    const char* penalty;  ///< its axis
};

/// `shown` for each split at its own choice, of equals the least gamma and then the least penalty; empty where a split
/// was measured at no choice.
std::vector<double> tuned(const store::Dataset&, const Choice&, const std::string& set, const Shown&);

/// All that have one of these variables, each at every number of columns; what has columns of its own, or none, once.
std::vector<Shown> fits(const store::Dataset&, const std::vector<const char*>& variables);

/// The first entries of a row of table_of(): the method, and its columns, of which the exact kernel has none.
report::Row row(const store::Dataset&, const Shown&);

/// The methods without features, which rows of features are not compared with.
std::vector<std::string> references(const store::Dataset&);

/// No rows yet: features, real columns, and a column for each set.
report::Table table_of(const store::Dataset&, std::string name, std::string caption,
                       const std::vector<std::string>& sets, report::Format);

/// Shares of training rows whose features leave double's range (`lost`), by gamma: the mean over data sets and splits.
report::Table lost_table(const store::Dataset&, std::string name, const std::vector<Shown>&);

/// The mean over splits of a share in % against real columns, by the last sampling, a panel for each data set.
std::vector<report::Panel> growth(const store::Dataset&, const Choice&, const report::Axis& y);

}  // namespace rfbench::experiments
