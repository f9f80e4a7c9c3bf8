#include "rfbench/engine/prune.hpp"

#include <cerrno>
#include <cstring>

#include "catch.hpp"
#include "rfbench/engine/status.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/system_calls.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"
#include "sweep.hpp"

using namespace sweep;
using namespace rfbench::tests;

namespace {

// Results of a plan, and cells of an earlier one that it replaced.
void two_generations(const fs::path& folder) {
    auto older = sweep::plan();
    older.common = "study: variance/small\nseed: 0\n";
    engine::run(older, sweep::compute, quiet(folder));
    engine::run(sweep::plan(), sweep::compute, quiet(folder));
    auto smoke = sweep::plan();
    smoke.profile = "smoke";
    smoke.common += "rows: 2\n";
    smoke.cells.resize(5);
    engine::run(smoke, sweep::compute, quiet(folder));
}

std::size_t there(const fs::path& folder) { return store::CellStore(folder / "cells").cells().size(); }

}  // namespace

TEST_CASE("cells that no collected result needs are counted, and removed") {
    const Folder folder;
    two_generations(folder.path());
    REQUIRE(there(folder.path()) == 38 + 38 + 5);
    const auto before = snapshot(folder.path());
    const auto what = engine::unneeded(folder.path());
    CHECK(what.removed == 38);
    CHECK(what.kept == 43);
    CHECK(what.bytes > 0);
    CHECK(there(folder.path()) == 81);

    CHECK(engine::prune(folder.path()).removed == 38);
    CHECK(there(folder.path()) == 43);
    CHECK(store::CellStore(folder.path() / "cells").packs().size() == 1);
    CHECK(engine::status(sweep::plan(), folder.path()).count(engine::State::done) == 38);
    Counted counted;
    fs::remove(folder.path() / "variance" / "small.h5");
    engine::run(sweep::plan(), counted.function(), quiet(folder.path()));
    CHECK(counted.calls == 0);
    CHECK(differences(snapshot(folder.path()), before) == "");
    CHECK(engine::prune(folder.path()).removed == 0);
}

TEST_CASE("a pack that a run writes to stays as it is") {
    const Folder folder;
    engine::run(
        sweep::plan(),
        [&](const engine::Cell& cell) {
            if (cell.key == sweep::plan().cells[30].key) {
                const auto what = engine::prune(folder.path());
                CHECK(what.packs_at_work == 1);
                CHECK(what.removed == 0);
            }
            return sweep::compute(cell);
        },
        quiet(folder.path(), 1));
    CHECK(engine::status(sweep::plan(), folder.path()).count(engine::State::done) == 38);
}

TEST_CASE("a disk that is full, or a list that cannot be read, costs no cell that is needed") {
    const Folder folder;
    two_generations(folder.path());
    auto calls = store::system_calls();
    calls.write = [](int, const void*, std::size_t) -> ssize_t { return errno = ENOSPC, -1; };
    {
        const store::ReplacedSystemCalls replaced(calls);
        CHECK(contains(refusal<store::Error>([&] { engine::prune(folder.path()); }), std::strerror(ENOSPC)));
    }
    CHECK(engine::status(sweep::plan(), folder.path()).count(engine::State::done) == 38);
    CHECK(engine::prune(folder.path()).removed == 38);
}
