#pragma once
// Answers to claims, from result files and from formulas.
#include <functional>
#include <string>
#include <vector>

#include "rfbench/claims/claim.hpp"

namespace rfbench::claims {

/// The result file of a configuration, "cost/attention"; nullptr where it is not there. It is asked for once each.
using Results = std::function<const store::Dataset*(const std::string& configuration)>;

/// A cell's evidence and what it was held against.
struct Cell {
    decisions::Evidence evidence;
    decisions::Threshold threshold;
};

struct Answer {
    enum class Verdict { holds, fails, undecided, not_judged };
    const Claim* claim = nullptr;
    Verdict verdict = Verdict::not_judged;
    std::vector<Cell> cells;  ///< empty where it is not judged
    std::size_t worst = 0;    ///< the cell that decides: the least clear one of all, or the clearest of some
    std::size_t missing = 0;  ///< cells without a value
    std::size_t lost = 0;     ///< repeats without a value in the cell that decides
    double p = 1;             ///< corrected for its cells and its family: small where it is shown, or refuted
    std::size_t family = 0;   ///< claims that were judged together
    std::string note = {};    ///< how many repeats would decide, or what makes what is missing
};
/// "holds", "fails", "undecided", "not judged".
const char* in_words(Answer::Verdict);

/// Values of a query. Throws std::invalid_argument, as report::slice does, for a variable, an axis or a label that the
/// file does not have; std::out_of_range for the variable.
Array values(const Query&, const store::Dataset&);

/// Answers to all claims, in their order; families are judged as wholes. A claim that asks for what a file does not
/// have, or whose expressions do not fit together, is not judged, and its note says why.
std::vector<Answer> answers(const ClaimList&, const Results&);

}  // namespace rfbench::claims
