#include "rfbench/engine/recipe.hpp"

#include <set>

#include "catch.hpp"
#include "support/refusal.hpp"
#include "sweep.hpp"

using namespace sweep;
using namespace rfbench::tests;

namespace {

store::Digest identity(const engine::Plan& plan, std::size_t cell = 0) {
    return engine::Recipes(plan).identity(plan.cells.at(cell));
}

}  // namespace

TEST_CASE("the identity of a cell changes with everything its values depend on") {
    const auto plan = sweep::plan();
    auto other = plan;
    SECTION("what is common") { other.common += "more: 1\n"; }
    SECTION("its label") { std::get<std::vector<std::string>>(other.axes[0].labels)[0] = "uniform"; }
    SECTION("its number") { std::get<std::vector<double>>(other.axes[1].labels)[0] = 0.1000000000000001; }
    SECTION("the axis") { other.axes[2].name = "draw"; }
    SECTION("the content of its label") { other.contents = {{"code: a\n", ""}, {}, {}}; }
    SECTION("a label that looks like two lines") {
        std::get<std::vector<std::string>>(other.axes[0].labels)[0] = "normal\ngamma: 0.1";
    }
    CHECK(identity(other) != identity(plan));
}

TEST_CASE("the identity of a cell changes with nothing else: a sweep can grow, shrink and be put in another order") {
    const auto plan = sweep::plan();
    auto other = plan;
    SECTION("the configuration as a whole, its name and its profile") {
        other.resolved += "gammas: [0.1, 0.2]\n";
        other.config = "other";
        other.profile = "smoke";
    }
    SECTION("provenance and attributes") {
        other.provenance["commit"] = "another";
        other.attributes["profile"] = "smoke";
    }
    SECTION("other cells, labels and contents") {
        other.cells.resize(1);
        std::get<std::vector<double>>(other.axes[1].labels).push_back(7);
        other.contents = {{"", "code: of the sphere\n"}, {}, {}};
    }
    SECTION("the order of labels") {
        auto& gammas = std::get<std::vector<double>>(other.axes[1].labels);
        std::swap(gammas[0], gammas[3]);
        other.cells[0].coordinates[1] = 3;
    }
    CHECK(identity(other) == identity(plan));
}

TEST_CASE("no two cells of a sweep share an identity or a place") {
    const auto plan = sweep::plan();
    const engine::Recipes recipes(plan);
    std::set<store::Digest> identities;
    std::set<std::uint64_t> places;
    for (const auto& cell : plan.cells) {
        identities.insert(recipes.identity(cell));
        places.insert(recipes.place(cell));
        CHECK(engine::identity(recipes.common(), recipes.own(cell)) == recipes.identity(cell));
    }
    CHECK(identities.size() == plan.cells.size());
    CHECK(places.size() == plan.cells.size());
}

TEST_CASE("a place is that of a key in a folder, whatever values depend on") {
    const auto plan = sweep::plan();
    const auto place = [](const engine::Plan& one) { return engine::Recipes(one).place(one.cells[0]); };
    auto other = plan;
    other.common = "seed: 2\n";
    CHECK(place(other) == place(plan));
    other.profile = "smoke";
    CHECK(place(other) != place(plan));
}

TEST_CASE("the difference of two recipes names what differs, and both values") {
    const std::string code(64, 'a'), later(64, 'b');
    const auto recipe = [](const std::string& seed, const std::string& of) {
        return "study: variance/small\nseed: " + seed + "\nmethod code: " + of + "\n";
    };
    CHECK(engine::difference(recipe("1", code), recipe("1", code)).empty());
    CHECK(engine::difference(recipe("2", code), recipe("1", code)) == "seed: 2 (was 1)");
    CHECK(engine::difference(recipe("1", later), recipe("1", code)) == "method code has changed");
    CHECK(engine::difference("a: 1\nb: 2\n", "a: 1\nc: 3\n") == "b: 2 (was not there); c is no longer there");
    const std::string common = "list: [" + std::string(200, 'x') + ", ";
    const std::string text = engine::difference(common + "3]\n", common + "4]\n");
    CHECK(text == "list: ... 3] (was ... 4])");
}
