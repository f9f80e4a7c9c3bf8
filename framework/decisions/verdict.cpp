#include "rfbench/decisions/verdict.hpp"

#include <algorithm>
#include <stdexcept>

#include "rfbench/statistics/paired_test.hpp"

namespace rfbench::decisions {

Judged combined(const std::vector<Evidence>& cells, Quantifier quantifier, bool bound) {
    if (cells.empty()) throw std::invalid_argument("combined: there is no evidence");
    double min_for = 1, max_for = 0, min_against = 1, max_against = 0;
    for (const Evidence& one : cells) {
        min_for = std::min(min_for, one.p_for);
        max_for = std::max(max_for, one.p_for);
        min_against = std::min(min_against, one.p_against);
        max_against = std::max(max_against, one.p_against);
    }
    const auto of_any = [&](double p) { return std::min(1.0, static_cast<double>(cells.size()) * p); };
    if (quantifier == Quantifier::all) return {max_for, of_any(min_against), bound};
    return {of_any(min_for), max_against, bound};
}

std::vector<double> corrected(const std::vector<Judged>& family) {
    std::vector<double> p;
    for (const Judged& one : family) p.push_back(one.bound ? one.p_against : std::min(one.p_for, one.p_against));
    return statistics::holm(p);
}

std::vector<Verdict> verdicts(const std::vector<Judged>& family, double level) {
    const std::vector<double> adjusted = corrected(family);
    std::vector<Verdict> result;
    for (std::size_t i = 0; i < family.size(); ++i) {
        const Judged& one = family[i];
        if (adjusted[i] > level)
            result.push_back(one.bound ? Verdict::holds : Verdict::undecided);
        else
            result.push_back(!one.bound && one.p_for < one.p_against ? Verdict::holds : Verdict::fails);
    }
    return result;
}

}  // namespace rfbench::decisions
