#pragma once
#include <optional>

#include "regression/accuracies.hpp"
#include "study.hpp"

namespace rfbench::experiments {

/// Tables and figures of the accuracy study: test accuracy with its interval beside the printed one, paired differences
/// from optimal-positive features, how many rows had no score, and how encodings change the ranking.
Report accuracy_report(const store::Dataset&);

/// Its parts.
std::optional<report::Table> difference_table(const store::Dataset&);  ///< where there are several splits
report::Table rank_table(const store::Dataset&);
report::Table agreement_table(const store::Dataset&);

}  // namespace rfbench::experiments
