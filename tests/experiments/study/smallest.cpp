// Every study at its smallest legal values: one method and one value of each axis, the first of its configuration or
// the last, go from the YAML through figures and tables, pictures included.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "catch.hpp"
#include "experiments/teachers.hpp"
#include "rfbench/claims/claim.hpp"
#include "rfbench/engine/collect.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/report/draw.hpp"
#include "rfbench/report/table.hpp"
#include "rfbench_places.hpp"
#include "study/configuration.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench;
using namespace rfbench::experiments;

namespace {

using Texts = std::vector<std::string>;
enum class Kept { first, last };

const std::filesystem::path source_folder(RFBENCH_SOURCE_DIR);

std::string flow(const Texts& items) { return fmt::format("[{}]", fmt::join(items, ", ")); }

/// The elements of a list, each as YAML; nothing for any other value.
Texts elements(const config::Value& value) {
    Texts all;
    if (value.kind() == config::Kind::integers)
        for (const std::int64_t one : value.integers()) all.push_back(std::to_string(one));
    if (value.kind() == config::Kind::numbers)
        for (const double one : value.numbers()) all.push_back(fmt::format("{}", one));
    if (value.kind() == config::Kind::list)
        for (const config::Value& one : value.items()) all.push_back(config::canonical_flow(one));
    return all;
}

/// Smaller values of a key, the smallest first; one that a study refuses is not legal.
Texts smaller(const config::Value& value, Kept kept) {
    Texts tried;
    if (value.kind() == config::Kind::integer)
        for (std::int64_t one = 1; one < std::min<std::int64_t>(value.integer(), 1 << 20); one *= 2)
            tried.push_back(std::to_string(one));
    const Texts all = elements(value);
    for (std::size_t count = 1; count < all.size(); ++count) {
        const auto begin = kept == Kept::first ? all.begin() : all.end() - static_cast<std::ptrdiff_t>(count);
        tried.push_back(flow({begin, begin + static_cast<std::ptrdiff_t>(count)}));
    }
    return tried;
}

/// A configuration and its sweep; nothing where they are refused.
struct Smallest {
    Configuration configuration;
    Sweep sweep;

    static std::optional<Smallest> of(const std::filesystem::path& file, const Texts& overrides) {
        try {
            Configuration configuration = load_configuration(file, {"smoke", overrides});
            Sweep sweep = configuration.study->prepare(configuration.value);
            if (sweep.cells().empty()) return {};
            return Smallest{std::move(configuration), std::move(sweep)};
        } catch (const InputError&) {
            return {};
        }
    }
};

/// The smoke profile with every key as small as it may be while the keys before it are.
Smallest smallest(const std::filesystem::path& file, Kept kept) {
    Texts overrides;
    // Sets that Debian has, instead of some that are fetched.
    if (file.parent_path().filename() == "regression") overrides.emplace_back("datasets=[iris]");
    std::optional<Smallest> found = Smallest::of(file, overrides);
    if (!found) throw std::logic_error("the smoke profile of " + file.string() + " is refused");
    for (const std::string& key : found->configuration.value.keys()) {
        if (key == "seed" || key == "datasets") continue;
        for (const std::string& tried : smaller(found->configuration.value.at(key), kept)) {
            Texts with = overrides;
            with.push_back(key + "=" + tried);
            auto less = Smallest::of(file, with);
            if (!less) continue;
            found = std::move(less);
            overrides = with;
            break;
        }
    }
    UNSCOPED_INFO(
        fmt::format("rfbench run {} --profile smoke --set '{}'", file.string(), fmt::join(overrides, "' --set '")));
    return std::move(*found);
}

/// All of its cells, computed and collected.
store::Dataset collected(const Smallest& one) {
    const engine::Plan whole = plan(one.configuration, one.sweep, {{"name", one.configuration.name}});
    return engine::collect(whole, std::vector<bool>(whole.cells.size(), false), [&](std::size_t cell) {
        INFO("cell " << whole.cells[cell].key);
        return one.sweep.compute(one.sweep.point(whole.cells[cell].coordinates));
    });
}

/// Variables that claims ask of a configuration, and their axes, are there.
void check_claims(const std::string& configuration, const store::Dataset& data) {
    static const claims::ClaimList list = claims::read_claims(source_folder / "data" / "claims.yaml");
    for (const claims::Claim& claim : list.claims)
        for (const auto& value : claim.values) {
            const claims::Query& query = value.second;
            if (query.configuration != configuration) continue;
            INFO(claim.where << ", value " << value.first);
            const auto variable = std::find_if(data.variables.begin(), data.variables.end(),
                                               [&](const auto& one) { return one.name == query.variable; });
            CHECK(variable != data.variables.end());
            if (variable == data.variables.end()) continue;
            for (const claims::Part& part : query.parts)
                CHECK(std::count(variable->axes.begin(), variable->axes.end(), part.axis) == 1);
        }
}

void require_shown(const char* experiment) {
    const tests::Teachers teachers;
    const tests::TemporaryFolder folder;
    std::vector<report::FigureFiles> drawn;
    for (const auto& file : configuration_files(source_folder / "configs", {experiment}))
        for (const Kept kept : {Kept::first, Kept::last}) {
            const Smallest one = smallest(file, kept);
            Report report;
            try {
                const store::Dataset data = collected(one);
                check_claims(std::string(experiment) + "/" + file.stem().string(), data);
                report = report_of(data);
            } catch (const std::exception& error) {
                FAIL_CHECK(file.stem().string() << ": " << error.what());
                continue;
            }
            const auto place = folder.path() / (file.stem().string() + (kept == Kept::first ? "-first" : "-last"));
            CHECK(!report.tables.empty());
            for (const report::Table& table : report.tables) CHECK_NOTHROW(report::write_table(table, place));
            for (const report::Figure& figure : report.figures)
                drawn.push_back(report::write_figure_data(figure, place));
        }
    CHECK_NOTHROW(report::draw(drawn, {source_folder / "framework" / "drawing"}));
}

}  // namespace

TEST_CASE("Smallest legal values reach figures and tables: attention", "[smallest]") { require_shown("attention"); }
TEST_CASE("Smallest legal values reach figures and tables: concentration", "[smallest]") {
    require_shown("concentration");
}
TEST_CASE("Smallest legal values reach figures and tables: conversion", "[smallest]") { require_shown("conversion"); }
TEST_CASE("Smallest legal values reach figures and tables: cost", "[smallest]") { require_shown("cost"); }
TEST_CASE("Smallest legal values reach figures and tables: dof", "[smallest]") { require_shown("dof"); }
TEST_CASE("Smallest legal values reach figures and tables: learned", "[smallest]") { require_shown("learned"); }
TEST_CASE("Smallest legal values reach figures and tables: quasi", "[smallest]") { require_shown("quasi"); }
TEST_CASE("Smallest legal values reach figures and tables: regression", "[smallest]") { require_shown("regression"); }
TEST_CASE("Smallest legal values reach figures and tables: training", "[smallest]") { require_shown("training"); }
TEST_CASE("Smallest legal values reach figures and tables: variance", "[smallest]") { require_shown("variance"); }

TEST_CASE("Every experiment has its smallest legal values") {
    std::set<std::string> there_are;
    for (const auto& folder : std::filesystem::directory_iterator(source_folder / "configs"))
        there_are.insert(folder.path().filename().string());
    CHECK(there_are == std::set<std::string>{"attention", "concentration", "conversion", "cost", "dof", "learned",
                                             "quasi", "regression", "training", "variance"});
}
