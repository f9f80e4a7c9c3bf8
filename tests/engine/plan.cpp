#include "rfbench/engine/plan.hpp"

#include "catch.hpp"
#include "support/refusal.hpp"
#include "sweep.hpp"

using namespace sweep;
using namespace rfbench::tests;

namespace {

template <class Change>
std::string refused(Change change) {
    auto plan = sweep::plan();
    change(plan);
    return refusal<std::invalid_argument>([&] { engine::check(plan); });
}

}  // namespace

TEST_CASE("a plan that is not consistent is refused with a sentence") {
    CHECK(refused([](auto&) {}) == "accepted");
    CHECK(contains(refused([](auto& plan) { plan.experiment = "a/b"; }), "experiment \"a/b\""));
    CHECK(contains(refused([](auto& plan) { plan.config = ".."; }), "configuration \"..\""));
    CHECK(contains(refused([](auto& plan) { plan.config = ""; }), "configuration \"\""));
    CHECK(contains(refused([](auto& plan) { plan.cells[3].key = plan.cells[1].key; }), "two cells have the key"));
    CHECK(contains(refused([](auto& plan) { plan.cells[3].key = ""; }), "empty key"));
    CHECK(contains(refused([](auto& plan) { plan.cells[3].coordinates = plan.cells[1].coordinates; }),
                   "\"regime=normal,gamma=0.1,repeat=1\" and \"regime=normal,gamma=0.1,repeat=3\" have the same"));
    CHECK(contains(refused([](auto& plan) { plan.cells[0].coordinates = {0, 0}; }), "2 coordinates"));
    CHECK(contains(refused([](auto& plan) { plan.cells[0].coordinates = {0, 4, 0}; }), "at 4 of axis \"gamma\""));
    CHECK(!refused([](auto& plan) { plan.axes[1].name = "regime"; }).empty());
}

TEST_CASE("the identity of a cell changes with everything its result depends on, and with nothing else") {
    const auto plan = sweep::plan();
    const auto& cell = plan.cells[0];
    const std::string id = engine::identity(plan, cell);
    CHECK(id.size() == 64);

    auto other = plan;
    SECTION("experiment") { other.experiment = "variance2"; }
    SECTION("configuration text") { other.resolved += " "; }
    SECTION("data") { other.data_hash = "d1"; }
    SECTION("schema version") { other.schema_version = 2; }
    SECTION("a field's end moved into the next") {
        other.experiment = plan.experiment.substr(0, 7);
        other.resolved = plan.experiment.substr(7) + plan.resolved;
    }
    CHECK(engine::identity(other, cell) != id);
    CHECK(engine::identity(plan, plan.cells[1]) != id);

    auto elsewhere = plan;
    elsewhere.attributes["commit"] = "another";
    elsewhere.cells.pop_back();
    CHECK(engine::identity(elsewhere, cell) == id);
}

TEST_CASE("file names are the keys where that is safe, and unique and short where it is not") {
    const auto name = [](const std::string& key) { return engine::file_name({key, {}}); };
    CHECK(name("regime=normal,gamma=0.1,repeat=0") == "regime=normal,gamma=0.1,repeat=0.h5");

    const std::string common(400, 'a');
    CHECK(name(common + "1") != name(common + "2"));
    CHECK(name(common).size() <= 160);
    CHECK(name("a/b") != name("a:b"));
    for (const std::string key : {"a/b", "../x", "x y", "-rf", ".hidden", "\xc3\xa9", "a\nb"}) {
        const std::string file = name(key);
        INFO(file);
        CHECK(file.find_first_of("/ \n\xc3") == std::string::npos);
        CHECK(file.front() != '.');
        CHECK(file.front() != '-');
    }
}
