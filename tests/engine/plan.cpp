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
    CHECK(contains(refused([](auto& plan) { plan.profile = "a/b"; }), "profile \"a/b\""));
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
