#include "rfbench/decisions/verdict.hpp"

#include <algorithm>
#include <stdexcept>

#include "rfbench/statistics/paired_test.hpp"

namespace rfbench::decisions {

Judged combined(const std::vector<Evidence>& cells, Quantifier quantifier, bool bound) {
    if (cells.empty()) throw std::invalid_argument("combined: there is no evidence");
    double least_for = 1, most_for = 0, least_against = 1, most_against = 0;
    for (const Evidence& one : cells) {
        least_for = std::min(least_for, one.p_for);
        most_for = std::max(most_for, one.p_for);
        least_against = std::min(least_against, one.p_against);
        most_against = std::max(most_against, one.p_against);
    }
    const auto of_any = [&](double p) { return std::min(1.0, static_cast<double>(cells.size()) * p); };
    if (quantifier == Quantifier::all) return {most_for, of_any(least_against), bound};
    return {of_any(least_for), most_against, bound};
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
