#include "rfbench/claims/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

namespace rfbench::claims {

using decisions::Evidence;
using decisions::Threshold;

const char* in_words(Answer::Verdict verdict) {
    switch (verdict) {
        case Answer::Verdict::holds: return "holds";
        case Answer::Verdict::fails: return "fails";
        case Answer::Verdict::undecided: return "undecided";
        case Answer::Verdict::not_judged: return "not judged";
    }
    throw std::logic_error("in_words: unknown verdict");
}

namespace {

double first_of(double a, double) { return a; }
double second_of(double, double b) { return b; }

/// Labels of a part that stays.
store::Axis axis_of(const Part& part, const store::Dataset& data) {
    store::Axis axis = data.axis(part.axis);
    if (part.labels.empty()) {
        std::vector<double> kept = report::numbers(data, part.axis);
        std::erase_if(kept, [&](double label) { return label < part.least || label > part.greatest; });
        if (kept.empty())
            throw std::invalid_argument(
                fmt::format("axis '{}' has no label from {} to {}", axis.name, part.least, part.greatest));
        axis.labels = kept;
        return axis;
    }
    const bool words = std::holds_alternative<std::string>(part.labels.front().value);
    if (words)
        axis.labels = std::vector<std::string>();
    else
        axis.labels = std::vector<double>();
    for (const report::Label& label : part.labels) {
        if (std::holds_alternative<std::string>(label.value) != words)
            throw std::invalid_argument(fmt::format("labels of axis '{}' are words or numbers, not both", axis.name));
        if (words)
            std::get<std::vector<std::string>>(axis.labels).push_back(std::get<std::string>(label.value));
        else
            std::get<std::vector<double>>(axis.labels).push_back(std::get<double>(label.value));
    }
    return axis;
}

std::vector<report::Label> labels_of(const store::Axis& axis) {
    return std::visit([](const auto& labels) { return std::vector<report::Label>(labels.begin(), labels.end()); },
                      axis.labels);
}

/// The variable at the labels of `fixed`, over those of the parts from `first` on, which come before its other axes.
Array stacked(const Query& query, const store::Dataset& data, const std::vector<Part>& parts, std::size_t first,
              const report::Fixed& fixed) {
    if (first == parts.size()) {
        const report::Slice slice = report::slice(data, query.variable, fixed);
        return {slice.axes, slice.values};
    }
    Array result;
    const store::Axis axis = axis_of(parts[first], data);
    for (const report::Label& label : labels_of(axis)) {
        const Array part = stacked(query, data, parts, first + 1, report::joined(fixed, {{parts[first].axis, label}}));
        result.axes = part.axes;
        result.values.insert(result.values.end(), part.values.begin(), part.values.end());
    }
    result.axes.insert(result.axes.begin(), axis);
    return result;
}

}  // namespace

Array values(const Query& query, const store::Dataset& data) {
    report::Fixed fixed;
    std::vector<Part> open;
    for (const Part& part : query.parts)
        if (part.fixed)
            fixed.emplace_back(part.axis, part.labels.front());
        else
            open.push_back(part);
    return stacked(query, data, open, 0, fixed);
}

namespace {

/// Numbers and lists of a claim, and the values of its queries.
Names names_of(const Claim& claim, const Results& results) {
    Names names;
    for (const auto& [name, query] : claim.values) names[name] = values(query, *results(query.configuration));
    for (const auto& [name, list] : claim.numbers) {
        std::vector<double> items(list.size());
        for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<double>(i);
        names[name] = list.size() == 1 ? Array::scalar(list.front()) : Array{{{"item", items, "", ""}}, list};
    }
    for (const auto& [name, list] : claim.grid) names[name] = {{{name, list, "", ""}}, list};
    return names;
}

double number(const std::string& expression, const Names& names, double otherwise) {
    if (expression.empty()) return otherwise;
    const Array value = Expression(expression).value(names);
    if (value.values.size() != 1) throw std::invalid_argument(fmt::format("'{}' is not one number", expression));
    return value.values.front();
}

/// The value of an expression, with thresholds and trials brought onto its axes.
struct Shown {
    Array value, low, high, trials;
};

Shown shown(const Claim& claim, const std::string& expression, const Names& names) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    const auto of = [&](const std::string& text, double otherwise) {
        return text.empty() ? Array::scalar(otherwise) : Expression(text).value(names);
    };
    Shown all{of(expression, 0), of(claim.rule->low, -inf), of(claim.rule->high, inf), of(claim.trials, 0)};
    for (const Array* other : {&all.low, &all.high, &all.trials})
        all.value = claims::combined(all.value, *other, first_of);
    for (Array* other : {&all.low, &all.high, &all.trials}) *other = claims::combined(all.value, *other, second_of);
    return all;
}

std::uint64_t count(double value) { return static_cast<std::uint64_t>(std::llround(value)); }

/// Repeats of one cell that are there, and their thresholds.
struct Sample {
    std::vector<double> values;
    Threshold threshold;
    double trials;
    std::size_t lost = 0;  ///< repeats without a value, as of a training that diverged
};

/// Nothing is held against a threshold that is not there, as of a bound that a cell does not have.
Sample with_threshold(Sample sample) {
    if (std::isnan(sample.threshold.low) || std::isnan(sample.threshold.high) || std::isnan(sample.trials))
        sample.values.clear();
    return sample;
}

/// The one value of a threshold. Throws std::invalid_argument where it is another from repeat to repeat.
double same_over(const std::string& over, const std::vector<double>& threshold) {
    for (const double one : threshold)
        if (!(one == threshold.front() || (std::isnan(one) && std::isnan(threshold.front()))))
            throw std::invalid_argument(fmt::format(
                "the threshold is another from {} to {}: show the difference from it, held against 0", over, over));
    return threshold.front();
}

std::vector<Sample> samples(const Claim& claim, const Shown& all) {
    const decisions::Relation relation = claim.rule->relation;
    std::vector<Sample> result;
    if (claim.over.empty()) {
        for (std::size_t i = 0; i < all.value.values.size(); ++i) {
            Sample one{{}, {relation, all.low.values[i], all.high.values[i]}, all.trials.values[i]};
            if (!std::isnan(all.value.values[i])) one.values.push_back(all.value.values[i]);
            result.push_back(with_threshold(one));
        }
        return result;
    }
    const Lines values = lines(all.value, claim.over), low = lines(all.low, claim.over),
                high = lines(all.high, claim.over);
    for (std::size_t i = 0; i < values.values.size(); ++i) {
        Sample one{{}, {relation, same_over(claim.over, low.values[i]), same_over(claim.over, high.values[i])}, 0};
        for (const double value : values.values[i])
            if (!std::isnan(value)) one.values.push_back(value);
        one.lost = values.values[i].size() - one.values.size();
        result.push_back(with_threshold(one));
    }
    return result;
}

struct Errors {
    double overlap;
    double level;  ///< of a family's error; intervals have one less that

    double confidence() const { return 1 - level; }
};

Evidence evidence(const Claim& claim, const Sample& sample, const Errors& of) {
    if (!claim.over.empty())
        return decisions::mean_evidence(sample.values, of.overlap, sample.threshold, of.confidence());
    const double value = sample.values.front();
    if (claim.z_scores) return decisions::normal_evidence(value, 1, sample.threshold, of.confidence());
    if (!claim.trials.empty())
        return decisions::share_evidence(count(value), count(sample.trials), sample.threshold, of.confidence());
    return decisions::exact_evidence(value, sample.threshold);
}

/// Evidence of one cell as it counts among several: by Bonferroni's rule where any of them would do.
Evidence among(std::size_t cells, decisions::Quantifier quantifier, Evidence evidence) {
    double& of_any = quantifier == decisions::Quantifier::all ? evidence.p_against : evidence.p_for;
    of_any = std::min(1.0, static_cast<double>(cells) * of_any);
    return evidence;
}

/// How many repeats would decide the cell that decides least, at the level that Holm asks of the first of a family.
std::string remedy(const Claim& claim, const Sample& sample, std::size_t cells, const Errors& of, std::size_t family) {
    const double level = of.level / static_cast<double>(family);
    const auto words = [&](const std::optional<std::uint64_t>& n, const std::string& what) {
        return n ? fmt::format("{} {} would decide at this mean and variance", *n, what)
                 : fmt::format("no number of {} up to a million would decide at this mean and variance", what);
    };
    if (!claim.over.empty()) {
        if (sample.values.size() < 2) return fmt::format("one {} has no error; more are needed", claim.over);
        return words(decisions::deciding_count(sample.values.size(), level,
                                               [&](std::uint64_t n) {
                                                   return among(cells, claim.quantifier,
                                                                decisions::repeated(sample.values, n, of.overlap,
                                                                                    sample.threshold, of.confidence()));
                                               }),
                     claim.over + "s");
    }
    if (claim.trials.empty()) return {};
    return words(decisions::deciding_count(count(sample.trials), level,
                                           [&](std::uint64_t n) {
                                               const double share = sample.values.front() / sample.trials;
                                               return among(
                                                   cells, claim.quantifier,
                                                   decisions::share_evidence(count(share * static_cast<double>(n)), n,
                                                                             sample.threshold, of.confidence()));
                                           }),
                 "trials");
}

/// Evidence of a claim before its family is judged.
struct Work {
    std::size_t place;  ///< of the claim
    decisions::Judged judged;
    Sample worst;
    Errors errors;
};

/// The cell that decides: of all cells the one that is least for the claim, of some the one that is most.
std::size_t deciding_cell(const Claim& claim, const std::vector<Cell>& cells) {
    const bool bound = decisions::is_bound(claim.rule->relation);
    // For and against as one number, then the distance from the threshold in half widths.
    const auto merit = [&](const Cell& cell) {
        const Evidence& e = cell.evidence;
        const double half = std::max(0.5 * (e.high - e.low), 1e-300);
        const double distance =
            std::min(std::isfinite(cell.threshold.low) ? (e.estimate - cell.threshold.low) / half : INFINITY,
                     std::isfinite(cell.threshold.high) ? (cell.threshold.high - e.estimate) / half : INFINITY);
        return std::pair((bound ? 0 : -e.p_for) + e.p_against, distance);
    };
    const auto less = [&](const Cell& a, const Cell& b) { return merit(a) < merit(b); };
    const auto found = claim.quantifier == decisions::Quantifier::all
                           ? std::min_element(cells.begin(), cells.end(), less)
                           : std::max_element(cells.begin(), cells.end(), less);
    return static_cast<std::size_t>(found - cells.begin());
}

/// Fills the answer's cells; the work that is left, or nothing where there is no value.
std::optional<Work> weigh(const Claim& claim, double level, const Results& results, Answer& answer) {
    const Names names = names_of(claim, results);
    const Errors errors{number(claim.overlap, names, 0), level};
    std::vector<Sample> kept;
    std::vector<Evidence> all;
    for (const std::string& expression : claim.shows)
        for (const Sample& sample : samples(claim, shown(claim, expression, names))) {
            if (sample.values.empty()) {
                ++answer.missing;
                continue;
            }
            all.push_back(evidence(claim, sample, errors));
            answer.cells.push_back({all.back(), sample.threshold});
            kept.push_back(sample);
        }
    if (all.empty()) return {};
    answer.worst = deciding_cell(claim, answer.cells);
    answer.lost = kept[answer.worst].lost;
    return Work{0, decisions::combined(all, claim.quantifier, decisions::is_bound(claim.rule->relation)),
                kept[answer.worst], errors};
}

/// "make cost, or rfbench run cost/attention"
std::string target(const std::string& configuration) {
    return fmt::format("make {}, or rfbench run {}", configuration.substr(0, configuration.find('/')), configuration);
}

std::string missing_results(const Claim& claim, const Results& results) {
    std::string text;
    for (const std::string& configuration : claim.configurations())
        if (results(configuration) == nullptr) text += (text.empty() ? "" : "; ") + target(configuration);
    return text;
}

void judge_family(const std::vector<Work>& family, double level, const ClaimList& list, std::vector<Answer>& all) {
    std::vector<decisions::Judged> judged;
    for (const Work& work : family) judged.push_back(work.judged);
    const auto verdicts = decisions::verdicts(judged, level);
    const auto p = decisions::corrected(judged);
    for (std::size_t i = 0; i < family.size(); ++i) {
        Answer& answer = all[family[i].place];
        answer.p = p[i];
        answer.family = family.size();
        switch (verdicts[i]) {
            case decisions::Verdict::holds: answer.verdict = Answer::Verdict::holds; break;
            case decisions::Verdict::fails: answer.verdict = Answer::Verdict::fails; break;
            case decisions::Verdict::undecided:
                answer.verdict = Answer::Verdict::undecided;
                answer.note = remedy(list.claims[family[i].place], family[i].worst, answer.cells.size(),
                                     family[i].errors, family.size());
        }
    }
}

}  // namespace

std::vector<Answer> answers(const ClaimList& list, const Results& results) {
    std::vector<Answer> all;
    std::map<std::string, std::vector<Work>> families;
    for (std::size_t i = 0; i < list.claims.size(); ++i) {
        const Claim& claim = list.claims[i];
        Answer& answer = all.emplace_back();
        answer.claim = &claim;
        answer.note = claim.lacks.empty() ? missing_results(claim, results) : claim.lacks;
        if (!answer.note.empty()) continue;
        try {
            std::optional<Work> work = weigh(claim, list.level, results, answer);
            if (!work) {
                answer.note = "the results have no value there";
                continue;
            }
            work->place = i;
            families[claim.family].push_back(*work);
        } catch (const std::logic_error& error) {
            // Results of other settings need not have what a claim asks for; a test sees to the list itself.
            answer.cells.clear();
            answer.note = fmt::format("the results do not have what it asks for: {}", error.what());
        }
    }
    for (const auto& [name, family] : families) judge_family(family, list.level, list, all);
    return all;
}

}  // namespace rfbench::claims
