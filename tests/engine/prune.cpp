#include "rfbench/engine/prune.hpp"

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "catch.hpp"
#include "rfbench/engine/status.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/hdf5_file.hpp"
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

TEST_CASE("HDF5 files of others among the results are no results, but one of a study whose folder is gone is") {
    const Folder folder;
    two_generations(folder.path());
    fs::create_directories(folder.path() / "maps");
    store::write(folder.path() / "maps" / "map.h5", {{}, {{"omega", {}, {1}, "", ""}}, {{"method", "positive"}}});
    CHECK(engine::unneeded(folder.path()).removed == 38);
    store::write(folder.path() / "maps" / "map.h5", {{}, {{"omega", {}, {1}, "", ""}}, {{"study", "variance/small"}}});
    CHECK(contains(refusal<store::Error>([&] { engine::unneeded(folder.path()); }),
                   "this list of the cells that a result was collected from is missing"));
}

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

TEST_CASE("cells that no result names yet stay while a run is at work, which may go on from them") {
    const Folder folder;
    two_generations(folder.path());
    auto options = quiet(folder.path(), 1);
    options.fresh = true;
    engine::run(
        sweep::plan(),
        [&](const engine::Cell& cell) {
            if (cell.key == sweep::plan().cells[0].key) {
                const auto what = engine::prune(folder.path());
                CHECK(what.run_at_work);
                CHECK(what.removed == 0);
                CHECK(there(folder.path()) == 81);
            }
            return sweep::compute(cell);
        },
        options);
    CHECK(engine::prune(folder.path()).removed == 38);
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

TEST_CASE("a list that is damaged, cut, emptied or gone is named, and costs no cell") {
    const Folder folder;
    two_generations(folder.path());
    const fs::path place = folder.path() / "variance/small", list = place / "cells", sums = place / "SHA256SUMS";
    const std::string cells = bytes_of(list), listed = bytes_of(sums);
    const auto refused = [&](const fs::path& named) {
        for (const auto& prune : {engine::prune, engine::unneeded})
            CHECK(contains(refusal<store::Error>([&] { prune(folder.path()); }), named.string()));
        CHECK(there(folder.path()) == 81);
        put_bytes(list, cells);
        put_bytes(sums, listed);
    };
    for (const std::string& bytes : {std::string(), cells.substr(0, 65), "x" + cells.substr(1), cells + cells}) {
        put_bytes(list, bytes);
        refused(list);
    }
    fs::remove(list);
    refused(list);
    put_bytes(sums, listed.substr(0, listed.find('\n') + 1));
    refused(sums);
    fs::remove(sums);
    refused(list);
    // The result file alone, or the journal alone, tells of a result.
    for (const fs::path& file : {list, sums, place / "journal"}) fs::remove(file);
    refused(list);
    engine::run(sweep::plan(), sweep::compute, quiet(folder.path()));
    for (const fs::path& file : {list, sums, folder.path() / "variance/small.h5"}) fs::remove(file);
    refused(list);
    engine::run(sweep::plan(), sweep::compute, quiet(folder.path()));
    CHECK(engine::prune(folder.path()).removed == 38);
}

TEST_CASE("a run that ends while packs are read loses no cell") {
    const Folder folder;
    two_generations(folder.path());
    const fs::path cells = folder.path() / "cells", last = cells / "~last-1-a.pack";
    fs::copy_file(store::CellStore(cells).packs().front(), last);
    const store::StoredCell cell{{"study: other\n", ""}, {}, sweep::compute(sweep::plan().cells[0])};
    auto writer = std::make_unique<store::CellStore>(cells);
    writer->add(store::digest("a"), 1, 1, cell);
    writer->commit();
    auto calls = store::system_calls();
    calls.open = [&, real = calls.open](const char* path, int flags, mode_t mode) {
        if (path == last && writer) {
            writer->add(store::digest("b"), 2, 1, cell);
            writer->commit();
            writer.reset();
        }
        return real(path, flags, mode);
    };
    const store::ReplacedSystemCalls replaced(calls);
    engine::prune(folder.path());
    const store::CellStore after(cells);
    for (const char* name : {"a", "b"}) CHECK(after.find(store::digest(name)) != nullptr);
}

TEST_CASE("checkpoints stay while a run is at work that has stored nothing yet") {
    const Folder folder;
    two_generations(folder.path());
    const fs::path checkpoint = folder.path() / "cells/checkpoints/some";
    bool looked = false;
    auto plan = sweep::plan();
    plan.common += "seed: 3\n";
    engine::run(
        plan,
        [&](const engine::Cell& cell) {
            if (!std::exchange(looked, true)) {
                fs::create_directories(checkpoint.parent_path());
                put_bytes(checkpoint, "a training");
                CHECK(engine::prune(folder.path()).checkpoints == 0);
                CHECK(fs::exists(checkpoint));
            }
            return sweep::compute(cell);
        },
        quiet(folder.path(), 1));
    CHECK(engine::prune(folder.path()).checkpoints == 1);
    CHECK(!fs::exists(checkpoint));
}

TEST_CASE("prune removes no file of somebody else's, and nothing through a link") {
    const Folder folder;
    two_generations(folder.path());
    const fs::path cells = folder.path() / "cells", others = folder.path() / "others", pack = others / "pack-1.pack";
    put_bytes(cells / "pack-1.pack", "PACK of another program");
    engine::prune(folder.path());
    CHECK(fs::exists(cells / "pack-1.pack"));
    fs::create_directory(others);
    put_bytes(pack, "PACK of another program");
    fs::remove_all(cells);
    fs::create_directory_symlink(others, cells);
    CHECK_THROWS_AS(engine::prune(folder.path()), store::Error);
    CHECK(fs::exists(pack));
}
