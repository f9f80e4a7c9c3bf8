#include "rfbench/claims/claim_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "rfbench/json/json.hpp"

namespace rfbench::claims {

namespace {

using Verdict = Answer::Verdict;

std::string number(double value, int digits = 3) {
    return report::entry_text(value, report::Format{report::Format::Kind::whole, digits});
}

/// With digits enough, three at least, to be compared with `others`: half a unit of the last is less than the way to
/// any of them, and rounding takes less than a hundredth of it.
std::string told_from(double value, const std::vector<double>& others) {
    double gap = INFINITY;
    for (const double other : others)
        if (std::isfinite(other) && other != value) gap = std::min(gap, std::abs(other - value));
    const auto tells = [&](int digits) {
        const std::string text = fmt::format("{:.{}e}", value, digits - 1);
        const double power = std::strtod(text.substr(text.find('e') + 1).c_str(), nullptr);
        return 0.5 * std::pow(10.0, power - digits + 1) < gap &&
               std::abs(std::strtod(text.c_str(), nullptr) - value) < 0.01 * gap;
    };
    int digits = 3;
    while (digits < 17 && !tells(digits)) ++digits;
    return number(value, digits);
}

/// A limit of a rule beside what was measured.
std::string limit_text(const Cell& cell, double limit) {
    const decisions::Evidence& e = cell.evidence;
    return told_from(limit, {e.estimate, e.low, e.high, cell.threshold.low, cell.threshold.high});
}

const char* in_words(Kind kind) {
    switch (kind) {
        case Kind::measured: return "measured";
        case Kind::formula: return "formula";
        case Kind::print: return "print";
    }
    return "";
}

std::string cell_text(const Cell& cell) {
    const decisions::Evidence& e = cell.evidence;
    const std::vector<double> limits{cell.threshold.low, cell.threshold.high};
    if (!(e.high > e.low)) return told_from(e.estimate, limits);
    const double up = e.high - e.estimate, down = e.estimate - e.low;
    if (std::abs(up - down) <= 1e-6 * (up + down)) return report::entry_text(report::Estimate{e.estimate, up}, {});
    return fmt::format("{} ({} to {})", told_from(e.estimate, limits), told_from(e.low, limits),
                       told_from(e.high, limits));
}

/// The verdict that the interval of the deciding cell alone would give.
Verdict by_interval(const Cell& cell) {
    const decisions::Evidence& e = cell.evidence;
    const decisions::Threshold& at = cell.threshold;
    const bool outside = e.high < at.low || e.low > at.high, inside = e.low >= at.low && e.high <= at.high;
    if (outside) return Verdict::fails;
    return inside || decisions::is_bound(at.relation) ? Verdict::holds : Verdict::undecided;
}

std::string counted(std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// The corrected p-value, where the interval that is shown suggests another verdict.
std::string correction(const ClaimList& list, const Answer& answer) {
    if (answer.cells.empty()) return {};
    const Cell& cell = answer.cells[answer.worst];
    if (!(cell.evidence.high > cell.evidence.low) || by_interval(cell) == answer.verdict) return {};
    std::string many = counted(answer.family, "claim");
    if (answer.cells.size() > 1) many = fmt::format("{} cells and ", answer.cells.size()) + many;
    return fmt::format("corrected for {}, p = {}, {} {:g}", many, number(answer.p, 2),
                       answer.p > list.level ? "above" : "not above", list.level);
}

std::size_t count(const std::vector<Answer>& answers, Verdict verdict) {
    return static_cast<std::size_t>(
        std::count_if(answers.begin(), answers.end(), [&](const Answer& one) { return one.verdict == verdict; }));
}

std::string left_out(const Answer& answer) {
    std::string text = answer.missing == 0 ? "" : fmt::format("{} without a value", answer.missing);
    if (answer.lost > 0)
        text += fmt::format("{}{} without a value in the cell that decides", text.empty() ? "" : ", ",
                            counted(answer.lost, answer.claim->over.c_str()));
    return text;
}

}  // namespace

std::string note_text(const ClaimList& list, const Answer& answer) {
    std::string text = correction(list, answer);
    for (const std::string& more : {answer.note, left_out(answer), answer.claim->erratum})
        if (!more.empty()) text += (text.empty() ? "" : "; ") + more;
    return text;
}

std::string measured_text(const Answer& answer) {
    if (answer.cells.empty()) return {};
    const std::string text = cell_text(answer.cells[answer.worst]);
    if (answer.cells.size() == 1) return text;
    const bool all = answer.claim->quantifier == decisions::Quantifier::all;
    return fmt::format("{}, the {} clear of {}", text, all ? "least" : "most", answer.cells.size());
}

std::string rule_text(const Answer& answer) {
    if (answer.cells.empty()) return {};
    const Cell& cell = answer.cells[answer.worst];
    const decisions::Threshold& at = cell.threshold;
    const auto low = [&] { return limit_text(cell, at.low); };
    const auto high = [&] { return limit_text(cell, at.high); };
    switch (at.relation) {
        case decisions::Relation::above: return "> " + low();
        case decisions::Relation::below: return "< " + high();
        case decisions::Relation::within: return at.low == at.high ? low() : low() + " to " + high();
        case decisions::Relation::not_above: return "not > " + high();
        case decisions::Relation::not_below: return "not < " + low();
        case decisions::Relation::not_outside:
            return at.low == at.high ? "not other than " + low() : "not outside " + low() + " to " + high();
    }
    return {};
}

std::string summary(const std::vector<Answer>& answers) {
    const auto of = [&](Verdict verdict, const char* one, const char* many) {
        const std::size_t n = count(answers, verdict);
        return fmt::format("{} {}", n, n == 1 ? one : many);
    };
    return fmt::format("{}, {} of them judged: {}, {}, {}.", counted(answers.size(), "claim"),
                       answers.size() - count(answers, Verdict::not_judged), of(Verdict::holds, "holds", "hold"),
                       of(Verdict::fails, "fails", "fail"), of(Verdict::undecided, "is undecided", "are undecided"));
}

std::string error_text(const ClaimList& list) {
    return fmt::format(
        "Verdicts err with at most {:g} % in each family of claims, those that one configuration answers, "
        "by Holm's method; an interval is of {:g} % for its cell alone.",
        100 * list.level, 100 * (1 - list.level));
}

report::Table table(const ClaimList& list, const std::vector<Answer>& answers) {
    report::Table table{.name = "claims", .caption = summary(answers), .columns = {}};
    for (const char* title : {"id", "paper", "place", "claim", "printed", "measured", "asked", "verdict", "note"})
        table.columns.push_back(report::word_column(title));
    for (const Answer& one : answers)
        table.rows.push_back(
            {{one.claim->id, one.claim->paper, one.claim->place, one.claim->sentence, one.claim->printed,
              measured_text(one), rule_text(one), std::string(claims::in_words(one.verdict)), note_text(list, one)}});
    table.notes = {error_text(list)};
    return table;
}

report::Table table_with_numbers(const ClaimList& list, const std::vector<Answer>& answers) {
    report::Table all = table(list, answers);
    for (const char* title : {"estimate", "low", "high", "p"}) all.columns.push_back(report::number_column(title, {}));
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const Answer& one = answers[i];
        std::vector<report::Entry>& entries = all.rows[i].entries;
        if (one.cells.empty()) {
            entries.insert(entries.end(), 4, report::Missing{});
            continue;
        }
        const auto& evidence = one.cells[one.worst].evidence;
        for (const double number : {evidence.estimate, evidence.low, evidence.high, one.p})
            entries.push_back(std::isnan(number) ? report::Entry(report::Missing{}) : report::Entry(number));
    }
    return all;
}

std::string json(const ClaimList& list, const std::vector<Answer>& answers) {
    std::string text;
    for (const Answer& one : answers) {
        const Claim& claim = *one.claim;
        nlohmann::ordered_json out{{"id", claim.id},
                                   {"paper", claim.paper},
                                   {"place", claim.place},
                                   {"claim", claim.sentence},
                                   {"printed", claim.printed},
                                   {"kind", in_words(claim.kind)},
                                   {"results", claim.configurations()},
                                   {"family", claim.family},
                                   {"level", list.level},
                                   {"verdict", claims::in_words(one.verdict)}};
        if (!one.cells.empty()) {
            const Cell& cell = one.cells[one.worst];
            out["estimate"] = cell.evidence.estimate;
            out["low"] = cell.evidence.low;
            out["high"] = cell.evidence.high;
            out["repeats"] = cell.evidence.count;
            out["p_for"] = cell.evidence.p_for;
            out["p_against"] = cell.evidence.p_against;
            out["p_corrected"] = one.p;
            out["asked"] = rule_text(one);
            out["cells"] = one.cells.size();
        }
        out["missing"] = one.missing;
        out["lost"] = one.lost;
        out["note"] = one.note;
        out["erratum"] = claim.erratum;
        text += json_line(out) + "\n";
    }
    return text;
}

}  // namespace rfbench::claims
