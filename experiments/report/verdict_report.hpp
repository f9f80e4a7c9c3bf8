#pragma once
// Verdicts in tables: by the rules that judge the claims of the papers, and by no other.
#include <string>
#include <vector>

#include "rfbench/decisions/evidence.hpp"

namespace rfbench::experiments {

/// "holds", "fails" or "undecided" for each claim of one table, which are one family (decisions/verdict.hpp). A claim
/// is about all of its cells, and has evidence of one at least; `bounds`: they hold unless a violation is shown. The
/// probability that any of them is judged wrongly is at most `level`.
std::vector<std::string> verdict_words(const std::vector<std::vector<decisions::Evidence>>& claims, bool bounds,
                                       double level);

}  // namespace rfbench::experiments
