#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>

#include "rfbench/claims/claim.hpp"
#include "rfbench/config/load.hpp"
#include "rfbench/store/file_reading.hpp"

namespace rfbench::claims {

namespace {

using config::Value;

config::Schema label_schema() {
    using namespace config;
    return any_of({real(), text()});
}

config::Schema at_schema() {
    using namespace config;
    return map_of(
        any_of({real(), text(), list_of(label_schema()),
                object({required("from", real(), "least label"), required("to", real(), "greatest label")})}));
}

config::Schema schema() {
    using namespace config;
    const Schema expression = any_of({real(), text()});
    const Schema both = list_of(expression, 2, Repetition::allowed);
    const Schema query = object({
        required("of", text(), "a variable of the result file"),
        optional("at", at_schema(), "labels of axes: one, a list, or {from: a, to: b}"),
        optional("from", text(), "the configuration, if not the claim's"),
    });
    const Schema rule = object({
        optional("above", expression, "shown to be more"),
        optional("below", expression, "shown to be less"),
        optional("within", both, "shown to lie between both"),
        optional("not_above", expression, "not seen to be more"),
        optional("not_below", expression, "not seen to be less"),
        optional("not_outside", both, "not seen to lie outside"),
    });
    const Schema claim = object({
        required("id", text(), "of the claim"),
        required("paper", one_of(papers()), "that makes it"),
        required("place", text(), "in the paper: section, equation, table, line of the text"),
        required("claim", text(), "in our words"),
        defaulted("printed", text(), "'-'", "value"),
        required("kind", one_of({"measured", "formula", "print"}), "how it is answered"),
        optional("erratum", text(), "what is wrong in the print"),
        optional("lacks", text(), "why nothing answers it yet"),
        optional("from", text(), "configuration whose results answer it"),
        optional("at", at_schema(), "labels for all its values"),
        optional("values", map_of(query), "named values of the results"),
        optional("numbers", map_of(one_or_more(real(), Repetition::allowed)),
                 "named numbers, or lists of equal length over the axis item"),
        optional("grid", map_of(one_or_more(real(), Repetition::allowed)), "named lists, each an axis of its own"),
        optional("shows", one_or_more(text()), "expressions that the rule is about"),
        optional("over", text(), "axis of independent repeats"),
        optional("trials", text(), "expression: shows counts successes among so many"),
        optional("statistic", one_of({"z"}), "z: values are z-scores"),
        optional("overlap", text(), "expression: test rows over training rows of random splits"),
        optional("rule", rule, "one relation"),
        defaulted("for", one_of({"all", "some"}), "all", "cells: each of them, or one at least"),
        optional("family", text(), "claims that share an error; its configuration, if not given"),
    });
    return object({
        required("version", one_of({"1"}), "of this format"),
        required("level", real(above(0).below(1)), "error of each family of claims"),
        required("claims", list_of(claim), "the claims"),
    });
}

/// A text without the end of a folded block; nothing where it is not given.
std::string line(const Value& map, const char* key) {
    if (!map.has(key)) return {};
    const std::string& text = map.at(key).text();
    return text.substr(0, text.find_last_not_of(" \n") + 1);
}

/// An expression that parses; a number is one, too.
std::string expression(const Value& value) {
    const std::string text = value.kind() == config::Kind::text ? value.text() : fmt::format("{}", value.number());
    try {
        Expression{text};
    } catch (const std::invalid_argument& error) {
        value.refuse(error.what());
    }
    return text;
}

report::Label label(const Value& value) {
    if (value.kind() == config::Kind::text) return value.text();
    return value.number();
}

Part part(const std::string& axis, const Value& value) {
    Part part{axis, {}};
    if (value.kind() == config::Kind::list) {
        for (const Value& one : value.items()) part.labels.push_back(label(one));
    } else if (value.kind() == config::Kind::map) {
        part.least = value.at("from").number();
        part.greatest = value.at("to").number();
    } else {
        part.labels = {label(value)};
        part.fixed = true;
    }
    return part;
}

/// Parts of the claim, and of the value over them.
std::vector<Part> parts(const Value& claim, const Value& query) {
    std::vector<Part> result;
    const auto add = [&](const Value& map) {
        if (!map.has("at")) return;
        for (const std::string& axis : map.at("at").keys()) {
            std::erase_if(result, [&](const Part& one) { return one.axis == axis; });
            result.push_back(part(axis, map.at("at").at(axis)));
        }
    };
    add(claim);
    add(query);
    return result;
}

Rule rule(const Value& value) {
    using decisions::Relation;
    static const std::vector<std::pair<const char*, Relation>> relations{
        {"above", Relation::above},         {"below", Relation::below},         {"within", Relation::within},
        {"not_above", Relation::not_above}, {"not_below", Relation::not_below}, {"not_outside", Relation::not_outside}};
    if (value.keys().size() != 1)
        value.refuse("a rule has one of above, below, within, not_above, not_below, not_outside.");
    for (const auto& [name, relation] : relations) {
        if (!value.has(name)) continue;
        const Value& at = value.at(name);
        if (relation == Relation::within || relation == Relation::not_outside) {
            if (at.items().size() != 2) at.refuse("must be two thresholds, the lower one first.");
            return {relation, expression(at.items()[0]), expression(at.items()[1])};
        }
        const bool lower = relation == Relation::above || relation == Relation::not_below;
        return {relation, lower ? expression(at) : "", lower ? "" : expression(at)};
    }
    throw std::logic_error("rule: a relation that the schema has is not read");
}

std::vector<double> numbers(const Value& value) {
    std::vector<double> all;
    for (const Value& one : value.items()) all.push_back(one.number());
    return all;
}

Kind kind(const std::string& name) {
    return name == "measured" ? Kind::measured : name == "formula" ? Kind::formula : Kind::print;
}

void read_names(const Value& value, Claim& claim) {
    if (value.has("values"))
        for (const std::string& name : value.at("values").keys()) {
            const Value& query = value.at("values").at(name);
            const std::string from = query.has("from") ? query.at("from").text() : line(value, "from");
            if (from.empty()) query.refuse("says no configuration: give 'from' here or for the claim.");
            claim.values[name] = {from, query.at("of").text(), parts(value, query)};
        }
    if (value.has("numbers"))
        for (const std::string& name : value.at("numbers").keys())
            claim.numbers[name] = numbers(value.at("numbers").at(name));
    if (value.has("grid"))
        for (const std::string& name : value.at("grid").keys()) claim.grid[name] = numbers(value.at("grid").at(name));
}

/// Every name in an expression must be given, and every value that is given must be taken.
void require_names(const Value& value, const Claim& claim) {
    std::set<std::string> given, taken;
    for (const auto& [name, query] : claim.values) given.insert(name);
    for (const auto& [name, list] : claim.numbers) given.insert(name);
    for (const auto& [name, list] : claim.grid) given.insert(name);
    const auto take = [&](const std::string& text) {
        if (!text.empty()) taken.merge(Expression(text).names());
    };
    for (const std::string& one : claim.shows) take(one);
    for (const std::string& one : {claim.trials, claim.overlap}) take(one);
    if (claim.rule)
        for (const std::string& one : {claim.rule->low, claim.rule->high}) take(one);
    for (const std::string& name : taken)
        if (!given.contains(name))
            value.at("shows").refuse(fmt::format("takes '{}', which is none of its values, numbers or grid.", name));
    for (const std::string& name : given)
        if (!taken.contains(name)) value.refuse(fmt::format("gives '{}', which no expression takes.", name));
}

/// Keys that go together: an answered claim has all it needs, one that is not says why.
void require_whole(const Value& value, const Claim& claim) {
    if (!claim.lacks.empty()) {
        for (const char* key : {"shows", "rule", "values", "from"})
            if (value.has(key)) value.at(key).refuse("does not go with 'lacks', which says why nothing answers it.");
        return;
    }
    for (const char* key : {"shows", "rule"})
        if (!value.has(key))
            value.refuse(fmt::format("needs '{}', or 'lacks', which says why nothing answers it.", key));
    if (claim.kind == Kind::measured && claim.values.empty())
        value.refuse("is measured, and needs 'values' of a result file.");
    if (claim.kind != Kind::measured && !claim.values.empty())
        value.at("values").refuse("go with 'kind: measured' only.");
    if (!claim.trials.empty() + !claim.over.empty() + claim.z_scores > 1)
        value.refuse("has one of 'over', 'trials' and 'statistic', since each says what the error is.");
    if (!claim.overlap.empty() && claim.over.empty()) value.at("overlap").refuse("goes with 'over' only.");
    require_names(value, claim);
}

Claim claim_of(const Value& value) {
    Claim claim;
    claim.id = value.at("id").text();
    claim.paper = value.at("paper").text();
    claim.place = line(value, "place");
    claim.sentence = line(value, "claim");
    claim.printed = line(value, "printed");
    claim.kind = kind(value.at("kind").text());
    claim.erratum = line(value, "erratum");
    claim.lacks = line(value, "lacks");
    claim.over = line(value, "over");
    claim.z_scores = value.has("statistic");
    claim.where = value.where();
    if (value.has("shows"))
        for (const Value& one : value.at("shows").items()) claim.shows.push_back(expression(one));
    if (value.has("trials")) claim.trials = expression(value.at("trials"));
    if (value.has("overlap")) claim.overlap = expression(value.at("overlap"));
    if (value.has("rule")) claim.rule = rule(value.at("rule"));
    if (value.at("for").text() == "some") claim.quantifier = decisions::Quantifier::some;
    read_names(value, claim);
    require_whole(value, claim);
    // Claims without an error, such as those on closed forms, share none: each is a family of its own.
    claim.family = value.has("family")            ? value.at("family").text()
                   : claim.kind == Kind::measured ? line(value, "from")
                                                  : claim.id;
    return claim;
}

ClaimList list_of(const Value& document) {
    ClaimList list{document.at("level").number(), {}};
    std::set<std::string> seen;
    for (const Value& one : document.at("claims").items()) {
        list.claims.push_back(claim_of(one));
        if (!seen.insert(list.claims.back().id).second)
            one.at("id").refuse(fmt::format("'{}' is the id of another claim, too.", list.claims.back().id));
    }
    return list;
}

}  // namespace

std::vector<std::string> Claim::configurations() const {
    std::set<std::string> all;
    for (const auto& [name, query] : values) all.insert(query.configuration);
    return {all.begin(), all.end()};
}

std::vector<std::string> Claim::methods() const {
    std::set<std::string> all;
    for (const auto& [name, query] : values)
        for (const Part& part : query.parts)
            if (part.axis == "method")
                for (const report::Label& label : part.labels)
                    if (const auto* word = std::get_if<std::string>(&label.value)) all.insert(*word);
    return {all.begin(), all.end()};
}

const std::vector<std::string>& papers() {
    static const std::vector<std::string> all{"thesis", "dof", "luna", "dijiang"};
    return all;
}

ClaimList parse_claims(std::string_view text, const std::string& name) {
    return list_of(config::parse(text, name, schema()));
}

ClaimList read_claims(const std::filesystem::path& file) {
    return parse_claims(store::read_whole(file), file.string());
}

}  // namespace rfbench::claims
