#include "rfbench/claims/claim_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "rfbench/json/json.hpp"

namespace rfbench::claims {

namespace {

using Verdict = Answer::Verdict;

constexpr report::Format three_digits{report::Format::Kind::whole, 3};

std::string number(double value) { return report::entry_text(value, three_digits); }

const char* in_words(Kind kind) {
    switch (kind) {
        case Kind::measured: return "measured";
        case Kind::formula: return "formula";
        case Kind::print: return "print";
    }
    return "";
}

std::string cell_text(const decisions::Evidence& e) {
    if (!(e.high > e.low)) return number(e.estimate);
    const double up = e.high - e.estimate, down = e.estimate - e.low;
    if (std::abs(up - down) <= 1e-6 * (up + down)) return report::entry_text(report::Estimate{e.estimate, up}, {});
    return fmt::format("{} ({} to {})", number(e.estimate), number(e.low), number(e.high));
}

std::size_t count(const std::vector<Answer>& answers, Verdict verdict) {
    return static_cast<std::size_t>(
        std::count_if(answers.begin(), answers.end(), [&](const Answer& one) { return one.verdict == verdict; }));
}

std::string left_out(const Answer& answer) {
    return answer.missing == 0 ? "" : fmt::format("{} without a value", answer.missing);
}

std::string notes(const Answer& answer) {
    std::string text = answer.note;
    for (const std::string& more : {left_out(answer), answer.claim->erratum})
        if (!more.empty()) text += (text.empty() ? "" : "; ") + more;
    return text;
}

}  // namespace

std::string measured_text(const Answer& answer) {
    if (answer.cells.empty()) return {};
    const std::string text = cell_text(answer.cells[answer.worst].evidence);
    if (answer.cells.size() == 1) return text;
    const bool all = answer.claim->quantifier == decisions::Quantifier::all;
    return fmt::format("{}, the {} clear of {}", text, all ? "least" : "most", answer.cells.size());
}

std::string rule_text(const Answer& answer) {
    if (answer.cells.empty()) return {};
    const decisions::Threshold& at = answer.cells[answer.worst].threshold;
    switch (at.relation) {
        case decisions::Relation::above: return "> " + number(at.low);
        case decisions::Relation::below: return "< " + number(at.high);
        case decisions::Relation::within: return number(at.low) + " to " + number(at.high);
        case decisions::Relation::not_above: return "not > " + number(at.high);
        case decisions::Relation::not_below: return "not < " + number(at.low);
        case decisions::Relation::not_outside: return "not outside " + number(at.low) + " to " + number(at.high);
    }
    return {};
}

report::Table table(const ClaimList& list, const std::vector<Answer>& answers) {
    report::Table table{
        .name = "claims",
        .caption = fmt::format("{} claims: {} hold, {} fail, {} are undecided, {} are not judged.", answers.size(),
                               count(answers, Verdict::holds), count(answers, Verdict::fails),
                               count(answers, Verdict::undecided), count(answers, Verdict::not_judged)),
        .columns = {}};
    for (const char* title : {"id", "paper", "place", "claim", "printed", "measured", "asked", "verdict", "note"})
        table.columns.push_back(report::word_column(title));
    for (const Answer& one : answers)
        table.rows.push_back(
            {{one.claim->id, one.claim->paper, one.claim->place, one.claim->sentence, one.claim->printed,
              measured_text(one), rule_text(one), std::string(claims::in_words(one.verdict)), notes(one)}});
    table.notes = {
        fmt::format("Verdicts err with at most {:g} % in each family of claims, those that one configuration "
                    "answers, by Holm's method.",
                    100 * list.level)};
    return table;
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
            out["asked"] = rule_text(one);
            out["cells"] = one.cells.size();
        }
        out["missing"] = one.missing;
        out["note"] = one.note;
        out["erratum"] = claim.erratum;
        text += json_line(out) + "\n";
    }
    return text;
}

}  // namespace rfbench::claims
