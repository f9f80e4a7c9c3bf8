#include "rfbench/engine/status.hpp"

#include <algorithm>

#include "catch.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"
#include "sweep.hpp"

using namespace sweep;
using namespace rfbench::tests;

TEST_CASE("a status tells what is done, failed, damaged, stale and missing") {
    const Folder folder;
    const auto plan = sweep::plan();
    CHECK(engine::status(plan, folder.path() / "nowhere").count(engine::State::missing) == 38);
    CHECK(!fs::exists(folder.path() / "nowhere"));

    // Two cells of an older configuration, then ten of this one, of which one fails and one is damaged.
    auto older = plan;
    older.resolved = "older\n";
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
    put_bytes(folder.path() / "variance/small/cells" / engine::file_name(plan.cells[6]), "");

    const auto now = engine::status(plan, folder.path());
    CHECK(now.count(engine::State::done) == 8);
    CHECK(now.count(engine::State::failed) == 1);
    CHECK(now.count(engine::State::damaged) == 1);
    CHECK(now.count(engine::State::stale) == 2);
    CHECK(now.count(engine::State::missing) == 26);
    CHECK(!now.collected);

    const std::string text = engine::table(now, 3);
    INFO(text);
    CHECK(contains(text, "variance/small: 38 cells, 8 done, 1 failed, 1 damaged, 2 stale, 26 missing"));
    CHECK(contains(text, "failed   " + plan.cells[4].key + ": said \"no\""));
    CHECK(contains(text, "damaged  " + plan.cells[6].key));
    CHECK(contains(text, "and 1 more"));
    CHECK(std::count(text.begin(), text.end(), '\n') == 5);

    const std::string json = engine::counts(now);
    INFO(json);
    CHECK(contains(json,
                   "{\"experiment\":\"variance\",\"config\":\"small\",\"cells\":38,\"done\":8,\"failed\":1,"
                   "\"damaged\":1,\"stale\":2,\"missing\":26,\"collected\":false,\"seconds\":"));
}

TEST_CASE("a complete sweep is reported collected, until something changes") {
    const Folder folder;
    auto plan = sweep::plan();
    engine::run(plan, sweep::compute, quiet(folder.path()));
    CHECK(engine::status(plan, folder.path()).collected);
    CHECK(contains(engine::table(engine::status(plan, folder.path())), "; collected"));
    plan.axes[1].unit = "per second";
    CHECK(!engine::status(plan, folder.path()).collected);
}
