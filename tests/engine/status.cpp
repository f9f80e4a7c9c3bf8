#include "rfbench/engine/status.hpp"

#include <algorithm>

#include "catch.hpp"
#include "rfbench/store/hdf5_file.hpp"
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
    CHECK(std::count(text.begin(), text.end(), '\n') == 4);
    CHECK(contains(engine::table(plan, now, 1), "and 1 more reason\n"));

    const std::string json = engine::counts(plan, now);
    INFO(json);
    CHECK(contains(json,
                   "{\"experiment\":\"variance\",\"config\":\"small\",\"cells\":38,\"done\":9,\"failed\":1,"
                   "\"damaged\":0,\"stale\":2,\"missing\":26,\"collected\":false,"
                   "\"result_file\":\"it lacks 28 of these cells\",\"seconds\":"));
    CHECK(contains(json, "\"stale_since\":[\"seed: 1 (was 7)\"]"));
}

TEST_CASE("a complete sweep is reported collected, until something changes") {
    const Folder folder;
    auto plan = sweep::plan();
    engine::run(plan, sweep::compute, quiet(folder.path()));
    CHECK(engine::status(plan, folder.path()).collected);
    CHECK(contains(engine::table(plan, engine::status(plan, folder.path())), "; collected"));
    // Whichever commit collects, the file is that of the cells.
    plan.provenance["commit"] = "later";
    CHECK(engine::status(plan, folder.path()).collected);
    plan.axes[1].unit = "per second";
    CHECK(!engine::status(plan, folder.path()).collected);
}

TEST_CASE("of a result file that was collected otherwise a status says how") {
    const Folder folder;
    auto plan = sweep::plan();
    const auto said = [&] {
        const auto now = engine::status(plan, folder.path());
        const std::string text = engine::table(plan, now);
        CHECK(now.collected == contains(text, "; collected\n"));
        CHECK(now.result_file.empty() != contains(text, "; collected otherwise\n"));
        CHECK(contains(engine::counts(plan, now), "\"result_file\":\"") == !now.result_file.empty());
        return now.result_file.empty() ? text : now.result_file;
    };
    plan.cells.resize(20);
    CHECK(contains(said(), "; not collected\n"));
    plan.attributes = {{"overrides", "none"}};
    engine::run(plan, sweep::compute, quiet(folder.path()));
    CHECK(contains(said(), "; collected\n"));

    plan.cells = sweep::plan().cells;
    CHECK(said() == "it lacks 18 of these cells");
    plan.resolved += "gammas: [0.1, 0.2]\n";
    CHECK(said() == "it lacks 18 of these cells; gammas: [0.1, 0.2] (was not there)");
    plan.cells.resize(20);
    plan.attributes = {{"overrides", "gammas=[0.1, 0.2]"}};
    CHECK(said() == "gammas: [0.1, 0.2] (was not there); overrides: gammas=[0.1, 0.2] (was none)");

    plan.resolved = sweep::plan().resolved;
    plan.attributes = {{"overrides", "none"}};
    plan.schema_version = 2;
    CHECK(said() == "it has these cells as they were before, or as another version of rfbench collected them");
    plan.schema_version = 1;
    CHECK(contains(said(), "; collected\n"));

    plan.common = "study: variance/small\nseed: 2\n";
    CHECK(said() == "it lacks 20 of these cells");
    auto options = quiet(folder.path());
    options.keep_stale = true;
    engine::run(plan, sweep::compute, options);
    CHECK(said() == "it has stale cells as they are (--keep-stale)");

    const fs::path file = folder.path() / "variance" / "small.h5";
    std::string bytes = bytes_of(file);
    bytes[bytes.size() / 2] ^= 1;
    put_bytes(file, bytes);
    CHECK(contains(said(), file.string()));
    fs::remove(file);
    CHECK(contains(said(), "; not collected\n"));
}

TEST_CASE("where every cell failed the file says which program collected it") {
    const Folder folder;
    auto plan = sweep::plan();
    const auto fails = [](const engine::Cell&) -> store::Dataset { throw std::runtime_error("no"); };
    engine::run(plan, fails, quiet(folder.path()));
    CHECK(engine::status(plan, folder.path()).collected);
    plan.provenance["commit"] = "later";
    CHECK(!engine::status(plan, folder.path()).collected);
    CHECK(store::read(engine::run(plan, fails, quiet(folder.path())).collected).attributes.at("commit") == "later");
}

TEST_CASE("what no cell says of its origin is not said of the file") {
    const Folder folder;
    auto plan = sweep::plan();
    engine::run(plan, sweep::compute, quiet(folder.path()));
    plan.provenance["library"] = "1";
    const auto again = engine::run(plan, sweep::compute, quiet(folder.path()));
    CHECK(again.computed == 0);
    CHECK(!store::read(again.collected).attributes.contains("library"));
}
