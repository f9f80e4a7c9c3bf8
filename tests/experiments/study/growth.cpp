// A sweep may grow: what is computed at labels that were there before depends neither on which other values its axes
// have nor on their order. For every configuration in configs/, found by being there, with its profile `smoke`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "catch.hpp"
#include "experiments/teachers.hpp"
#include "rfbench/config/load.hpp"
#include "rfbench_places.hpp"
#include "study/configuration.hpp"
#include "support/same_bits.hpp"

using namespace rfbench;
using namespace rfbench::experiments;

namespace {

using Items = std::vector<std::string>;
using Change = Items (*)(Items);

Items reversed(Items items) {
    std::reverse(items.begin(), items.end());
    return items;
}
Items without_first(Items items) {
    if (items.size() > 1) items.erase(items.begin());
    return items;
}
Items without_last(Items items) {
    if (items.size() > 1) items.pop_back();
    return items;
}

std::string flow(const Items& items) { return fmt::format("[{}]", fmt::join(items, ", ")); }

bool is_list_of_numbers(const config::Value& value) {
    return value.kind() == config::Kind::integers || value.kind() == config::Kind::numbers;
}

Items items_of_numbers(const config::Value& value) {
    Items items;
    if (value.kind() == config::Kind::integers)
        for (const std::int64_t number : value.integers()) items.push_back(std::to_string(number));
    else
        for (const double number : value.numbers()) items.push_back(fmt::format("{}", number));
    return items;
}

/// A source of heads, with what it lists, such as scales, changed.
std::string changed_source(const config::Value& source, Change change) {
    Items fields;
    for (const std::string& key : source.keys()) {
        const config::Value& value = source.at(key);
        fields.push_back(
            key + ": " +
            (is_list_of_numbers(value) ? flow(change(items_of_numbers(value))) : config::canonical_flow(value)));
    }
    return fmt::format("{{{}}}", fmt::join(fields, ", "));
}

/// New value of a key whose axes change; numbers of repeats grow by one.
std::string changed(const std::string& key, const config::Value& value, Change change) {
    const auto item = [&](const config::Value& one) {
        return key == "heads" ? changed_source(one, change) : config::canonical_flow(one);
    };
    if (value.kind() == config::Kind::integer) return std::to_string(value.integer() + 1);
    // Layers and heads of one source are numbered: a number stands for a place in a list.
    if (value.kind() == config::Kind::map) return changed_source(value, without_last);
    if (is_list_of_numbers(value)) return flow(change(items_of_numbers(value)));
    Items items;
    for (const config::Value& one : value.items()) items.push_back(item(one));
    return flow(change(items));
}

/// A sweep and its cells by key.
struct Swept {
    config::Value value;
    Sweep sweep;
    std::map<std::string, std::vector<std::size_t>> cells;

    explicit Swept(const Configuration& configuration)
        : value(configuration.value), sweep(configuration.study->prepare(value)) {
        for (const engine::Cell& cell : sweep.cells()) cells.emplace(cell.key, cell.coordinates);
    }

    /// Content and data of the value of an axis there.
    std::pair<std::string, std::string> part(std::size_t axis, std::size_t at) const {
        const auto of = [&](const std::vector<std::string>& parts) { return parts.empty() ? "" : parts.at(at); };
        return {of(sweep.contents.at(axis)), of(sweep.data.at(axis))};
    }
    std::string label(std::size_t axis, std::size_t at) const {
        return std::visit([&](const auto& all) { return fmt::format("{}", all.at(at)); }, sweep.axes[axis].labels);
    }
};

Configuration load(const std::filesystem::path& file, std::vector<std::string> overrides) {
    // Sets that Debian has, instead of some that are fetched.
    if (file.parent_path().filename() == "regression") overrides.insert(overrides.begin(), "datasets=[iris, wine]");
    return load_configuration(file, {"smoke", overrides});
}

/// Axes whose contents say what counts of the values of another: of classifiers that are equal in parameters the
/// largest number among all tasks and methods. Cells there are others, and computed anew, when it changes.
const std::set<std::string> tell_of_others{"equal"};

void require_alike_parts(const Swept& before, const Swept& after) {
    REQUIRE(after.sweep.axes.size() == before.sweep.axes.size());
    for (std::size_t a = 0; a < before.sweep.axes.size(); ++a) {
        if (tell_of_others.contains(before.sweep.axes[a].name)) continue;
        INFO("axis " << before.sweep.axes[a].name);
        std::map<std::string, std::pair<std::string, std::string>> known;
        for (std::size_t i = 0; i < before.sweep.axes[a].size(); ++i) known[before.label(a, i)] = before.part(a, i);
        for (std::size_t i = 0; i < after.sweep.axes[a].size(); ++i)
            if (const auto found = known.find(after.label(a, i)); found != known.end()) {
                INFO("label " << after.label(a, i));
                CHECK(after.part(a, i) == found->second);
            }
    }
}

void require_same(const store::Dataset& before, const store::Dataset& after) {
    REQUIRE(after.variables.size() == before.variables.size());
    REQUIRE(after.axes.size() == before.axes.size());
    for (std::size_t a = 0; a < before.axes.size(); ++a) {
        CHECK(after.axes[a].name == before.axes[a].name);
        CHECK(after.axes[a].description == before.axes[a].description);
        CHECK(after.axes[a].labels == before.axes[a].labels);
    }
    for (std::size_t v = 0; v < before.variables.size(); ++v) {
        INFO("variable " << before.variables[v].name);
        CHECK(after.variables[v].name == before.variables[v].name);
        CHECK(after.variables[v].description == before.variables[v].description);
        CHECK(tests::same_bits(after.variables[v].values, before.variables[v].values));
    }
}

/// Cells computed once.
using Computed = std::map<std::string, store::Dataset>;

void require_growth(const std::filesystem::path& file, const Swept& before, Change change, Computed& computed) {
    std::vector<std::string> overrides;
    for (const std::string& key : std::set<std::string>(before.sweep.swept.begin(), before.sweep.swept.end()))
        if (before.value.has(key)) overrides.push_back(key + "=" + changed(key, before.value.at(key), change));
    const Swept after(load(file, overrides));
    require_alike_parts(before, after);

    std::size_t compared = 0;
    for (const auto& [key, at] : after.cells) {
        const auto found = before.cells.find(key);
        if (found == before.cells.end()) continue;
        ++compared;
        if (before.sweep.alone) continue;  // what is measured are times
        if (!computed.contains(key)) computed.emplace(key, before.sweep.measure(before.sweep.point(found->second)));
        INFO("cell " << key);
        require_same(computed.at(key), after.sweep.measure(after.sweep.point(at)));
    }
    CHECK(compared > 0);
}

std::filesystem::path configs() { return std::filesystem::path(RFBENCH_SOURCE_DIR) / "configs"; }

void require_growth_of(const char* experiment) {
    const tests::Teachers teachers;
    for (const std::filesystem::path& file : configuration_files(configs(), {experiment})) {
        INFO(file.filename().string());
        const Swept before(load(file, {}));
        for (std::size_t a = 0; a < before.sweep.axes.size(); ++a) {
            const std::size_t size = before.sweep.axes[a].size();
            CHECK((before.sweep.contents[a].empty() || before.sweep.contents[a].size() == size));
            CHECK((before.sweep.data[a].empty() || before.sweep.data[a].size() == size));
        }
        for (const std::string& key : before.sweep.swept) CHECK_NOTHROW(before.value.has(key));
        Computed computed;
        require_growth(file, before, reversed, computed);
        require_growth(file, before, without_first, computed);
    }
}

const std::set<std::string> experiments_here{"attention", "concentration", "conversion", "cost",     "dof",
                                             "learned",   "quasi",         "regression", "training", "variance"};

}  // namespace

TEST_CASE("Growing and reordering change no value: attention", "[growth-attention]") { require_growth_of("attention"); }
TEST_CASE("Growing and reordering change no value: concentration", "[growth-concentration]") {
    require_growth_of("concentration");
}
TEST_CASE("Growing and reordering change no value: conversion", "[growth-conversion]") {
    require_growth_of("conversion");
}
TEST_CASE("Growing and reordering change no value: cost", "[growth-cost]") { require_growth_of("cost"); }
TEST_CASE("Growing and reordering change no value: dof", "[growth-dof]") { require_growth_of("dof"); }
TEST_CASE("Growing and reordering change no value: learned", "[growth-learned]") { require_growth_of("learned"); }
TEST_CASE("Growing and reordering change no value: quasi", "[growth-quasi]") { require_growth_of("quasi"); }
TEST_CASE("Growing and reordering change no value: regression", "[growth-regression]") {
    require_growth_of("regression");
}
TEST_CASE("Growing and reordering change no value: training", "[growth-training]") { require_growth_of("training"); }
TEST_CASE("Growing and reordering change no value: variance", "[growth-variance]") { require_growth_of("variance"); }

TEST_CASE("Every experiment is grown") {
    std::set<std::string> there_are;
    for (const auto& folder : std::filesystem::directory_iterator(configs()))
        there_are.insert(folder.path().filename().string());
    CHECK(there_are == experiments_here);
}

TEST_CASE("What of other methods counts is in the contents: room for the largest map, the most trained parameters") {
    const auto contents = [](const char* name, const std::string& methods, const std::string& rest) {
        const Study& study = find("learned", name);
        const std::string yaml = fmt::format("experiment: learned\nstudy: {}\nmethods: [{}]\n{}", name, methods, rest);
        return study.prepare(config::parse(yaml, "test.yaml", schema_of(study))).contents;
    };
    const std::string small = "{use: luna, channels: 2, projections: 2}";
    const std::string large = ", {use: luna, label: large, channels: 4, projections: 4}";
    const std::string match = "length: 4\ndimension: 3\ncolumns: 4\nsteps: 2\nrepeats: 2\n";
    const std::string method = contents("match", small, match)[1][0];
    CHECK(contents("match", small + ", positive", match)[1][0] == method);
    CHECK(contents("match", small + large, match)[1][0] != method);

    const auto equal = [&](const std::string& methods, const std::string& what) {
        return contents("classify", methods,
                        "tasks: [recall]\ndimension: 3\ncolumns: 4\nsteps: 2\nrepeats: 2\nequal: " + what + "\n")[1][0];
    };
    CHECK(equal(small, "features") == equal(small + large, "features"));
    CHECK(equal(small, "parameters") == equal(small + ", positive", "parameters"));
    CHECK(equal(small, "parameters") != equal(small + large, "parameters"));
}
