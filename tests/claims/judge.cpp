#include "rfbench/claims/judge.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "rfbench/claims/claim_table.hpp"

using namespace rfbench;
using namespace rfbench::claims;
using Catch::Matchers::Contains;
using Verdict = Answer::Verdict;

namespace {

/// Bits per character of two methods over five seeds, and counts of trials.
store::Dataset small(double relu_shift = 0) {
    store::Dataset data;
    data.axes = {{"method", std::vector<std::string>{"softmax", "relu"}, "", ""},
                 {"seed", std::vector<double>{0, 1, 2, 3, 4}, "", ""},
                 {"draws", std::vector<double>{1, 2, 4}, "", ""}};
    data.variables = {
        {"bits", {"method", "seed"}, {2.30, 2.34, 2.36, 2.31, 2.35, 2.80, 2.86, 2.85, 2.83, 2.84}, "", ""},
        {"exceed", {"draws"}, {90, 30, 2}, "", ""},
        {"trials", {"draws"}, {100, 100, 100}, "", ""},
        {"bound", {"draws"}, {0.8, 0.5, 0.1}, "", ""}};
    for (std::size_t i = 5; i < 10; ++i) data.variables[0].values[i] += relu_shift;
    return data;
}

constexpr const char* relu_claim =
    "{id: A, paper: thesis, place: here, claim: relu is better, kind: measured, from: a/b, "
    "values: {softmax: {of: bits, at: {method: softmax}}, relu: {of: bits, at: {method: relu}}}, "
    "shows: relu - softmax, over: seed, rule: {below: 0}}";

std::vector<Answer> answered(const ClaimList& list, const store::Dataset& data) {
    return answers(list, [&](const std::string& name) { return name == "a/b" ? &data : nullptr; });
}

ClaimList listed(const std::vector<std::string>& entries) {
    std::string text = "version: 1\nlevel: 0.05\nclaims:\n";
    for (const std::string& entry : entries) text += "  - " + entry + "\n";
    return parse_claims(text, "claims.yaml");
}

}  // namespace

TEST_CASE("A measured claim is judged by differences over seeds") {
    const ClaimList list = listed({relu_claim});
    const store::Dataset data = small();
    const auto of = answered(list, data);
    CHECK(of[0].verdict == Verdict::fails);
    CHECK(of[0].cells.at(0).evidence.estimate == Approx(0.504));
    CHECK(of[0].cells.at(0).evidence.count == 5);
    CHECK(of[0].cells.at(0).evidence.low == Approx(0.504 - 2.7764451052 * 0.0067823299));  // t.ppf(0.975, 4)
    CHECK(answered(list, small(-0.6))[0].verdict == Verdict::holds);
    // Paired differences of one size but for noise about zero tell nothing, and so many seeds would.
    const auto near = answered(list, small(-0.51));
    CHECK(near[0].verdict == Verdict::undecided);
    CHECK_THAT(near[0].note, Contains("seeds would decide"));
}

TEST_CASE("The number of seeds that would decide counts the cells") {
    const auto of_cells = [](const std::string& shows) {
        std::string claim = relu_claim;
        claim.replace(claim.find("shows: relu - softmax"), 21, "shows: " + shows);
        // 3.2 standard errors above zero, p = 0.033.
        return answered(listed({claim}), small(-0.504 + 3.2 * 0.0067823299))[0];
    };
    CHECK(of_cells("relu - softmax").verdict == Verdict::fails);
    const Answer four = of_cells("[relu - softmax, relu - softmax + 0, 0 + relu - softmax, 1 * (relu - softmax)]");
    CHECK(four.verdict == Verdict::undecided);
    // t = 3.2 sqrt(n / 5), and four times p is below 0.05: scipy's 2 * t.sf(3.2 * sqrt(7 / 5), 6) is 0.0091.
    CHECK_THAT(four.note, Contains("7 seeds would decide"));
}

TEST_CASE("A threshold that is another from seed to seed is refused, not that of the first") {
    std::string claim = relu_claim;
    claim.replace(claim.find("shows: relu - softmax"), 21, "shows: relu");
    claim.replace(claim.find("{below: 0}"), 10, "{below: softmax}");
    const Answer of = answered(listed({claim}), small())[0];
    CHECK(of.verdict == Verdict::not_judged);
    CHECK_THAT(of.note, Contains("the threshold is another from seed to seed"));
}

TEST_CASE("Seeds without a value, as of trainings that diverged, are counted in the note") {
    const ClaimList list = listed({relu_claim});
    store::Dataset data = small();
    CHECK(answered(list, data)[0].lost == 0);
    data.variables[0].values[6] = std::nan("");
    const auto of = answered(list, data);
    CHECK(of[0].lost == 1);
    CHECK_THAT(note_text(list, of[0]), Contains("1 seed without a value in the cell that decides"));
}

TEST_CASE("Three standard errors of one method flip a claim") {
    // The difference is 0.504 and the standard error of its mean 0.0068: it is moved to either side of zero.
    const ClaimList list = listed({relu_claim});
    CHECK(answered(list, small(-0.504 + 3 * 0.0068))[0].verdict == Verdict::fails);
    CHECK(answered(list, small(-0.504 - 3 * 0.0068))[0].verdict == Verdict::holds);
}

TEST_CASE("A bound fails only beyond an interval") {
    const char* claim =
        "{id: A, paper: thesis, place: here, claim: bound, kind: measured, from: a/b, values: {n: {of: exceed}, "
        "trials: {of: trials}, bound: {of: bound}}, shows: n, trials: trials, rule: {not_above: bound}}";
    const ClaimList list = listed({claim});
    store::Dataset data = small();
    // 90 of 100 where 0.8 is the bound: P(X >= 90) is 0.0057 (scipy binom.sf(89, 100, 0.8)), times three cells.
    const auto of = answered(list, data);
    CHECK(of[0].verdict == Verdict::fails);
    CHECK(of[0].cells.at(of[0].worst).evidence.estimate == Approx(0.9));
    data.variables[1].values[0] = 86;  // above the bound, and not beyond doubt
    CHECK(answered(list, data)[0].verdict == Verdict::holds);
}

TEST_CASE("A claim without results says what makes them") {
    const ClaimList list =
        listed({relu_claim, "{id: B, paper: luna, place: p, claim: c, kind: measured, lacks: no study}"});
    const auto of = answers(list, [](const std::string&) { return nullptr; });
    CHECK(of[0].verdict == Verdict::not_judged);
    CHECK(of[0].note == "make a, or rfbench run a/b");
    CHECK(of[1].note == "no study");
}

TEST_CASE("Formulas and print are judged without results") {
    const ClaimList list = listed(
        {"{id: A, paper: thesis, place: (2.10), claim: c, kind: formula, grid: {r: [0.5, 1, 2]}, "
         "shows: 'normal(w, (cos(w * r) - exp(-r^2 / 2))^2) / ((1 - exp(-r^2)) / 2)', rule: {within: [0.999, 1.001]}}",
         "{id: B, paper: thesis, place: (2.12), claim: c, kind: formula, grid: {r: [0.5, 1, 2]}, "
         "shows: 'normal(w, (cos(w * r) - exp(-r^2 / 2))^2) / ((1 - exp(-r^2))^2 / 2)', rule: {within: [0.999, "
         "1.001]}}",
         "{id: C, paper: luna, place: t, claim: c, kind: print, numbers: {a: [1, 2, 6]}, shows: 'mean(a, item)', "
         "rule: {within: [3, 3]}}"});
    const auto of = answered(list, small());
    CHECK(of[0].verdict == Verdict::fails);
    CHECK(of[1].verdict == Verdict::holds);
    CHECK(of[2].verdict == Verdict::holds);
    CHECK(of[0].cells.size() == 3);
}

TEST_CASE("What a file does not have is said, and not judged") {
    std::string other = relu_claim;
    other.replace(other.find("of: bits"), 8, "of: bitz");
    const auto of = answered(listed({other}), small());
    CHECK(of[0].verdict == Verdict::not_judged);
    CHECK_THAT(of[0].note, Contains("bitz"));
}

TEST_CASE("Labels may be lists and ranges") {
    const store::Dataset data = small();
    const auto of = [&](const std::vector<Part>& parts) { return values({"a/b", "exceed", parts}, data).values; };
    CHECK(of({{"draws", {4.0, 1.0}}}) == std::vector<double>{2, 90});
    CHECK(of({{"draws", {}, false, 2, 9}}) == std::vector<double>{30, 2});
    CHECK_THROWS_AS(of({{"draws", {3.0}}}), std::invalid_argument);
}

TEST_CASE("The same results give the same table and JSON") {
    const ClaimList list = listed({relu_claim});
    const store::Dataset data = small();
    const auto of = answered(list, data);
    const report::Table shown = table(list, of);
    CHECK(shown.caption == "1 claim, 1 of them judged: 0 hold, 1 fails, 0 are undecided.");
    const auto parsed = nlohmann::json::parse(json(list, of));
    CHECK(parsed["verdict"] == "fails");
    CHECK(parsed["estimate"].get<double>() == of[0].cells[0].evidence.estimate);
    CHECK(json(list, of) == json(list, answered(list, data)));
}

TEST_CASE("Intervals are of the level that the list states") {
    ClaimList list = listed({relu_claim});
    CHECK_THAT(error_text(list), Contains("at most 5 %") && Contains("of 95 % for its cell"));
    list.level = 0.1;
    CHECK_THAT(error_text(list), Contains("at most 10 %") && Contains("of 90 % for its cell"));
    const store::Dataset data = small();
    const auto of = answered(list, data);
    CHECK(of[0].cells.at(0).evidence.low == Approx(0.504 - 2.1318467863 * 0.0067823299));  // t.ppf(0.95, 4)
}

TEST_CASE("Limits and values show the digits that tell them apart") {
    const auto shown = [](const char* value, const char* rule) {
        const ClaimList list = listed({fmt::format(
            "{{id: A, paper: luna, place: t, claim: c, kind: print, numbers: {{a: {}}}, shows: a, rule: {}}}", value,
            rule)});
        const auto of = answered(list, small());
        return measured_text(of[0]) + ", " + rule_text(of[0]);
    };
    CHECK(shown("138.23", "{within: [112.5, 137.5]}") == "138.23, 112.5 to 137.5");
    CHECK(shown("1", "{within: [0.999999, 1.000001]}") == "1, 0.999999 to 1.000001");
    CHECK(shown("1.0000000000001", "{within: [0.999999, 1.000001]}") == "1.000000, 0.999999 to 1.000001");
    CHECK(shown("65.44", "{within: [65.435, 65.445]}") == "65.440, 65.435 to 65.445");
    CHECK(shown("0.06061", "{above: 0.3333333333}") == "0.0606, > 0.333");
    CHECK(shown("0.333333", "{above: 0.3333333333}") == "0.3333330, > 0.33333333");
}

TEST_CASE("A verdict that its interval does not show states the corrected p-value") {
    // 3.2 is beyond the 95 % of a z-score, with p = 0.0014; not of 50 of them, where it is 0.069.
    std::string z = "[3.2";
    for (int i = 1; i < 50; ++i) z += ", 0.1";
    const ClaimList list = listed({"{id: A, paper: luna, place: t, claim: c, kind: print, numbers: {a: " + z +
                                   "]}, shows: a, statistic: z, rule: {not_outside: [0, 0]}}"});
    const auto of = answered(list, small());
    CHECK(of[0].verdict == Verdict::holds);
    CHECK(of[0].p == Approx(50 * 0.0013742759));  // 2 (1 - Phi(3.2))
    const report::Table shown = table(list, of);
    CHECK(std::get<std::string>(shown.rows[0].entries[6]) == "not other than 0");
    CHECK(std::get<std::string>(shown.rows[0].entries[8]) ==
          "corrected for 50 cells and 1 claim, p = 0.069, above 0.05");
    const ClaimList clear = listed({relu_claim});
    const auto fails = answered(clear, small());
    CHECK(std::get<std::string>(table(clear, fails).rows[0].entries[8]).empty());
}
