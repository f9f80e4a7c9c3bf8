#include <fmt/format.h>

#include "catch.hpp"
#include "rfbench/claims/claim.hpp"
#include "rfbench/config/error.hpp"

using namespace rfbench;
using namespace rfbench::claims;
using Catch::Matchers::Contains;

namespace {

ClaimList parsed(const std::string& entry) {
    return parse_claims("version: 1\nlevel: 0.05\nclaims:\n  - " + entry + "\n", "claims.yaml");
}

/// A claim that is whole but for what is added.
std::string print_claim(const std::string& more) {
    return "{id: A, paper: luna, place: here, claim: text, kind: print, " + more + "}";
}

std::string refusal(const std::string& entry) {
    try {
        parsed(entry);
    } catch (const config::Error& error) {
        return error.what();
    }
    return "nothing was refused";
}

}  // namespace

TEST_CASE("A claim is read with its defaults") {
    const ClaimList list = parsed(
        "{id: A, paper: dof, place: here, claim: text, kind: measured, from: dof/bound, at: {form: printed},\n"
        "     values: {e: {of: error, at: {t: {from: 0.1, to: 1}}}, m: {of: features, at: {form: corrected}}},\n"
        "     shows: [e - m, e], over: repeat, rule: {above: 0}}");
    const Claim& claim = list.claims.at(0);
    CHECK(list.level == 0.05);
    CHECK(claim.family == "dof/bound");
    CHECK(claim.printed == "-");
    CHECK(claim.shows.size() == 2);
    CHECK(claim.rule->low == "0");
    CHECK(claim.quantifier == decisions::Quantifier::all);
    // A value's own label stands over the claim's.
    REQUIRE(claim.values.at("m").parts.size() == 1);
    CHECK(std::get<std::string>(claim.values.at("m").parts[0].labels[0].value) == "corrected");
    CHECK(claim.values.at("e").parts.size() == 2);
    CHECK(claim.configurations() == std::vector<std::string>{"dof/bound"});
}

TEST_CASE("A malformed claim is refused with its place") {
    CHECK_THAT(refusal(print_claim("shows: 1 +, rule: {above: 0}")),
               Contains("claims.yaml:4:") && Contains("shows") && Contains("ends here"));
    CHECK_THAT(refusal(print_claim("shows: 1, rule: {above: 0}, wrong: 1")), Contains("wrong"));
    CHECK_THAT(refusal(print_claim("shows: x, rule: {above: 0}")), Contains("takes 'x'"));
    CHECK_THAT(refusal(print_claim("shows: 1, numbers: {x: 1}, rule: {above: 0}")), Contains("no expression takes"));
    CHECK_THAT(refusal(print_claim("shows: 1, rule: {above: 0, below: 1}")), Contains("a rule has one of"));
    CHECK_THAT(refusal(print_claim("shows: 1, rule: {within: [0, 1, 2]}")), Contains("two thresholds"));
    CHECK_THAT(refusal(print_claim("shows: 1")), Contains("needs 'rule'"));
    CHECK_THAT(refusal(print_claim("shows: 1, rule: {above: 0}, lacks: none")), Contains("does not go with 'lacks'"));
    CHECK_THAT(refusal("{id: A, paper: dov, place: here, claim: text, kind: print, lacks: x}"), Contains("dof"));
    CHECK_THAT(refusal("{id: A, paper: dof, place: here, claim: text, kind: measured, shows: 1, rule: {above: 0}}"),
               Contains("needs 'values'"));
    CHECK_THAT(refusal("{id: A, paper: dof, place: here, claim: text, kind: measured, values: {x: {of: error}}, "
                       "shows: x, rule: {above: 0}}"),
               Contains("says no configuration"));
    const std::string twice = print_claim("shows: 1, rule: {above: 0}");
    const std::string same_id = print_claim("printed: other, shows: 1, rule: {above: 0}");
    CHECK_THAT(refusal(twice + "\n  - " + same_id), Contains("claims.yaml:5:") && Contains("another claim"));
}
