#pragma once
#include <optional>

#include "regression/accuracies.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {

/// Tables and figures of the accuracy study: test accuracy with its interval beside the printed one, paired differences
/// from optimal-positive features, ranks over data sets, how many rows had no score, and how encodings change the
/// ranking.
Report accuracy_report(const store::Dataset&);

/// Its parts.
std::optional<report::Table> difference_table(const store::Dataset&);  ///< where there are several splits
/// Ranks over data sets with a critical difference; nothing for fewer than two data sets or methods with features.
std::optional<report::Table> critical_table(const store::Dataset&);
std::optional<report::Figure> critical_figure(const store::Dataset&);
report::Table rank_table(const store::Dataset&);
report::Table agreement_table(const store::Dataset&);

}  // namespace rfbench::experiments
