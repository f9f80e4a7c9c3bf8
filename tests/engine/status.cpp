#include "rfbench/engine/status.hpp"

#include <algorithm>

#include "catch.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"
#include "sweep.hpp"

using namespace sweep;
using namespace rfbench::tests;

TEST_CASE("a status tells what is done, failed, stale and missing") {
    const Folder folder;
    const auto plan = sweep::plan();
    CHECK(engine::status(plan, folder.path() / "nowhere").count(engine::State::missing) == 38);
    CHECK(!fs::exists(folder.path() / "nowhere"));

    // Two cells of other settings, then ten of these, of which one fails.
    auto older = plan;
    older.common = "study: variance/small\nseed: 7\n";
    older.cells = {plan.cells[36], plan.cells[37]};
    engine::run(older, sweep::compute, quiet(folder.path()));
    auto part = plan;
    part.cells.resize(10);
    engine::run(
        part,
        [&](const engine::Cell& cell) {
            if (cell.key == plan.cells[4].key) throw std::runtime_error("said \"no\"\n");
            return sweep::compute(cell);
        },
        quiet(folder.path()));

    const auto now = engine::status(plan, folder.path());
    CHECK(now.count(engine::State::done) == 9);
    CHECK(now.count(engine::State::failed) == 1);
    CHECK(now.count(engine::State::stale) == 2);
    CHECK(now.count(engine::State::missing) == 26);
    CHECK(!now.collected);

    const std::string text = engine::table(plan, now);
    INFO(text);
    CHECK(contains(text, "variance/small: 38 cells, 9 done, 1 failed, 2 stale, 26 missing"));
    CHECK(contains(text, "failed   " + plan.cells[4].key + ": said \"no\""));
    CHECK(contains(text, "stale    " + plan.cells[36].key + " and 1 more: seed: 1 (was 7)"));
    CHECK(std::count(text.begin(), text.end(), '\n') == 3);
    CHECK(contains(engine::table(plan, now, 1), "and 1 more reasons"));

    const std::string json = engine::counts(plan, now);
    INFO(json);
    CHECK(contains(json,
                   "{\"experiment\":\"variance\",\"config\":\"small\",\"cells\":38,\"done\":9,\"failed\":1,"
                   "\"damaged\":0,\"stale\":2,\"missing\":26,\"collected\":false,\"seconds\":"));
    CHECK(contains(json, "\"stale_since\":[\"seed: 1 (was 7)\"]"));
}

TEST_CASE("a complete sweep is reported collected, until something changes") {
    const Folder folder;
    auto plan = sweep::plan();
    engine::run(plan, sweep::compute, quiet(folder.path()));
    CHECK(engine::status(plan, folder.path()).collected);
    CHECK(contains(engine::table(plan, engine::status(plan, folder.path())), "; collected"));
    plan.axes[1].unit = "per second";
    CHECK(!engine::status(plan, folder.path()).collected);
}
