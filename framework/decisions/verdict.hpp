#pragma once
// From evidence to verdicts, at one error for a whole family of claims.
#include <vector>

#include "rfbench/decisions/evidence.hpp"

namespace rfbench::decisions {

enum class Verdict { holds, fails, undecided };

/// A claim about several cells: of all of them, or of one at least.
enum class Quantifier { all, some };

/// Evidence of one claim, whatever it is made of.
struct Judged {
    double p_for, p_against;
    bool bound;  ///< it holds unless it fails
};

/// A claim of all cells is shown by each of them at the level (Berger 1982), and refuted by the worst of them at
/// Bonferroni's; a claim of some cell the other way round. Throws std::invalid_argument for no evidence.
Judged combined(const std::vector<Evidence>&, Quantifier, bool bound);

/// The p-value by which each claim of a family is judged, in the family's order and corrected by Holm (1979): the
/// smaller of its two, but for a bound the one against it.
std::vector<double> corrected(const std::vector<Judged>& family);

/// Verdicts of a family, in its order: the probability that any claim of it is judged wrongly is at most `level`, by
/// Holm (1979) over the smaller p-value of each. What Holm does not reject is undecided; a bound holds.
std::vector<Verdict> verdicts(const std::vector<Judged>& family, double level);

}  // namespace rfbench::decisions
