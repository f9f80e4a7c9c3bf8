#include "catch.hpp"
#include "rfbench/engine/status.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"
#include "sweep.hpp"

using namespace sweep;
using namespace rfbench::tests;

namespace {

std::map<std::string, std::string> uninterrupted(const engine::Plan& plan) {
    const Folder folder;
    engine::run(plan, sweep::compute, quiet(folder.path(), 1));
    return snapshot(folder.path());
}

const fs::path one_cell = "variance/small/cells/regime=sphere,gamma=0.1,repeat=2.h5";

}  // namespace

TEST_CASE("a second run computes nothing and changes nothing") {
    const Folder folder;
    Counted counted;
    engine::run(sweep::plan(), counted.function(), quiet(folder.path()));
    CHECK(counted.calls == 38);
    const auto before = snapshot(folder.path());
    const auto written = fs::last_write_time(folder.path() / "variance" / "small.h5");
    const auto summary = engine::run(sweep::plan(), counted.function(), quiet(folder.path()));
    CHECK(counted.calls == 38);
    CHECK(summary.reused == 38);
    CHECK(summary.collected == folder.path() / "variance" / "small.h5");
    CHECK(differences(snapshot(folder.path()), before) == "");
    CHECK(fs::last_write_time(folder.path() / "variance" / "small.h5") == written);
}

TEST_CASE("an interrupted run goes on with what is missing, to the same bytes") {
    const auto expected = uninterrupted(sweep::plan());
    for (const int threads : {1, 2, 3}) {
        const Folder folder;
        std::atomic<bool> stop{false};
        Counted counted;
        auto options = quiet(folder.path(), threads);
        options.order = threads == 2 ? engine::Order::shuffled : engine::Order::forward;
        options.stop = &stop;
        const auto first = engine::run(
            sweep::plan(),
            [&](const engine::Cell& cell) {
                if (++counted.calls == 11) stop = true;
                return sweep::compute(cell);
            },
            options);
        CHECK(first.interrupted);
        CHECK(first.computed >= 11);
        CHECK(first.computed < std::size_t(11 + threads));
        CHECK(first.collected.empty());
        CHECK(!fs::exists(folder.path() / "variance" / "small.h5"));

        options.stop = nullptr;
        options.order = engine::Order::reverse;
        const auto second = engine::run(sweep::plan(), counted.function(), options);
        CHECK(second.reused == first.computed);
        CHECK(counted.calls == 38);
        CHECK(!second.interrupted);
        CHECK(differences(snapshot(folder.path()), expected) == "");
    }
}

TEST_CASE("a change of configuration, data or schema computes every cell again") {
    const Folder folder;
    engine::run(sweep::plan(), sweep::compute, quiet(folder.path()));
    auto plan = sweep::plan();
    SECTION("configuration") { plan.resolved += "more: true\n"; }
    SECTION("data") { plan.data_hash = "d1"; }
    SECTION("schema") { plan.schema_version = 2; }

    CHECK(engine::status(plan, folder.path()).count(engine::State::stale) == 38);
    Counted counted;
    CHECK(engine::run(plan, counted.function(), quiet(folder.path())).computed == 38);
    CHECK(counted.calls == 38);
    CHECK(differences(snapshot(folder.path()), uninterrupted(plan)) == "");
    CHECK(engine::status(sweep::plan(), folder.path()).count(engine::State::stale) == 38);
}

TEST_CASE("another commit computes nothing again, and the collected file keeps the truth") {
    const Folder folder;
    engine::run(sweep::plan(), sweep::compute, quiet(folder.path()));
    const auto before = snapshot(folder.path());
    auto plan = sweep::plan();
    plan.attributes["commit"] = "later";
    CHECK(engine::run(plan, sweep::compute, quiet(folder.path())).computed == 0);
    CHECK(differences(snapshot(folder.path()), before) == "");
}

TEST_CASE("a wider sweep keeps the cells it shares with the narrower one, when only the plan grew") {
    const Folder folder;
    auto narrow = sweep::plan();
    narrow.cells.resize(20);
    engine::run(narrow, sweep::compute, quiet(folder.path()));
    CHECK(engine::run(sweep::plan(), sweep::compute, quiet(folder.path())).computed == 18);
    CHECK(differences(snapshot(folder.path()), uninterrupted(sweep::plan())) == "");
}

TEST_CASE("a damaged cell file is computed again, and the run says so") {
    const Folder folder;
    engine::run(sweep::plan(), sweep::compute, quiet(folder.path()));
    const auto before = snapshot(folder.path());
    const fs::path file = folder.path() / one_cell;
    auto content = bytes_of(file);
    std::string complaint;
    SECTION("one bit") {
        content[content.size() / 2] = char(content[content.size() / 2] ^ 4);
        put_bytes(file, content);
        complaint = "bytes differ";
    }
    SECTION("truncated") {
        put_bytes(file, content.substr(0, content.size() / 2));
        complaint = "bytes differ";
    }
    SECTION("empty") {
        put_bytes(file, "");
        complaint = "bytes differ";
    }
    SECTION("gone") {
        fs::remove(file);
        complaint = "gone";
    }
    CHECK(engine::status(sweep::plan(), folder.path()).count(engine::State::damaged) == 1);

    std::ostringstream out;
    auto options = quiet(folder.path());
    options.progress = engine::ProgressMode::lines;
    options.out = &out;
    Counted counted;
    engine::run(sweep::plan(), counted.function(), options);
    CHECK(counted.calls == 1);
    INFO(out.str());
    CHECK(contains(out.str(), "regime=sphere,gamma=0.1,repeat=2 is computed again: the "));
    CHECK(contains(out.str(), complaint));
    CHECK(differences(snapshot(folder.path()), before) == "");
}

TEST_CASE("a collected file that is damaged or gone is made again from the cells") {
    const Folder folder;
    engine::run(sweep::plan(), sweep::compute, quiet(folder.path()));
    const auto before = snapshot(folder.path());
    SECTION("damaged") { put_bytes(folder.path() / "variance" / "small.h5", "no"); }
    SECTION("gone") { fs::remove(folder.path() / "variance" / "small.h5"); }
    CHECK(!engine::status(sweep::plan(), folder.path()).collected);
    Counted counted;
    engine::run(sweep::plan(), counted.function(), quiet(folder.path()));
    CHECK(counted.calls == 0);
    CHECK(differences(snapshot(folder.path()), before) == "");
}

TEST_CASE("a fresh run computes everything, also when it is interrupted and then resumed") {
    const Folder folder;
    engine::run(sweep::plan(), sweep::compute, quiet(folder.path()));
    const auto before = snapshot(folder.path());
    std::atomic<bool> stop{false};
    Counted counted;
    auto options = quiet(folder.path(), 1);
    options.fresh = true;
    options.stop = &stop;
    engine::run(
        sweep::plan(),
        [&](const engine::Cell& cell) {
            if (++counted.calls == 5) stop = true;
            return sweep::compute(cell);
        },
        options);
    engine::run(sweep::plan(), counted.function(), quiet(folder.path()));
    CHECK(counted.calls == 38);
    CHECK(differences(snapshot(folder.path()), before) == "");
}

TEST_CASE("a cell that fails after a change of configuration does not take the earlier result with it") {
    const Folder folder;
    engine::run(sweep::plan(), sweep::compute, quiet(folder.path()));
    auto changed = sweep::plan();
    changed.resolved += "more: true\n";
    const auto fail = [](const engine::Cell&) -> store::Dataset { throw std::runtime_error("no"); };
    CHECK(engine::run(changed, fail, quiet(folder.path())).failed.size() == 38);
    Counted counted;
    engine::run(sweep::plan(), counted.function(), quiet(folder.path()));
    CHECK(counted.calls == 0);
    CHECK(differences(snapshot(folder.path()), uninterrupted(sweep::plan())) == "");
}
