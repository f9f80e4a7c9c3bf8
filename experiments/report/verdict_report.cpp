#include "report/verdict_report.hpp"

#include "rfbench/decisions/verdict.hpp"

namespace rfbench::experiments {

std::vector<std::string> verdict_words(const std::vector<std::vector<decisions::Evidence>>& claims, bool bounds,
                                       double level) {
    std::vector<decisions::Judged> family;
    for (const auto& cells : claims) family.push_back(decisions::combined(cells, decisions::Quantifier::all, bounds));
    std::vector<std::string> words;
    for (const decisions::Verdict verdict : decisions::verdicts(family, level))
        words.emplace_back(verdict == decisions::Verdict::holds   ? "holds"
                           : verdict == decisions::Verdict::fails ? "fails"
                                                                  : "undecided");
    return words;
}

}  // namespace rfbench::experiments
