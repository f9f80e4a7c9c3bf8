#pragma once
// Answers as a table, and as JSON.
#include <string>
#include <vector>

#include "rfbench/claims/judge.hpp"
#include "rfbench/report/table.hpp"

namespace rfbench::claims {

/// The value in the cell that decides, with half its interval or, where that has unequal halves, both ends, and
/// of how many cells: "1.02 ± 0.02", "0.07 (0.02 to 0.19), the least clear of 12". Empty where nothing was.
std::string measured_text(const Answer&);
/// The claim's rule about it: "> 1.2", "0.9 to 1.1", "not > 0.05"; limits have digits enough to be compared with what
/// was measured. Empty without a rule.
std::string rule_text(const Answer&);

/// Remarks on the verdict: the corrected p-value where the interval suggests another one, repeats that would decide,
/// values that are missing, an erratum of the print.
std::string note_text(const ClaimList&, const Answer&);

/// The verdicts counted: "6 claims, 3 of them judged: 1 holds, 2 fail, 0 are undecided."
std::string summary(const std::vector<Answer>&);
/// The error of the verdicts.
std::string error_text(const ClaimList&);

/// One row a claim, in the order of the list; the caption counts the verdicts.
report::Table table(const ClaimList&, const std::vector<Answer>&);

/// The same with columns for programs: estimate and interval of the deciding cell, and p, corrected.
report::Table table_with_numbers(const ClaimList&, const std::vector<Answer>&);

/// One object a claim, a line each; numbers read back as the same doubles.
std::string json(const ClaimList&, const std::vector<Answer>&);

}  // namespace rfbench::claims
