#include <algorithm>

#include "catch.hpp"
#include "rfbench/engine/status.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/verify.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"
#include "sweep.hpp"

using namespace sweep;
using namespace rfbench::tests;

namespace {

constexpr std::size_t one_cell = 22;  // regime=sphere,gamma=0.1,repeat=2

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

TEST_CASE("a change of what values depend on computes every cell again, and going back finds them") {
    const Folder folder;
    engine::run(sweep::plan(), sweep::compute, quiet(folder.path()));
    auto plan = sweep::plan();
    plan.common += "more: true\n";
    CHECK(engine::status(plan, folder.path()).count(engine::State::stale) == 38);
    Counted counted;
    CHECK(engine::run(plan, counted.function(), quiet(folder.path())).computed == 38);
    CHECK(counted.calls == 38);
    CHECK(differences(snapshot(folder.path()), uninterrupted(plan)) == "");

    CHECK(engine::status(sweep::plan(), folder.path()).count(engine::State::done) == 38);
    CHECK(engine::run(sweep::plan(), counted.function(), quiet(folder.path())).reused == 38);
    CHECK(counted.calls == 38);
    CHECK(differences(snapshot(folder.path()), uninterrupted(sweep::plan())) == "");
}

TEST_CASE("a change of one label's content computes the cells there again, and no others") {
    const Folder folder;
    auto plan = sweep::plan();
    plan.contents = {{"code: a\n", "code: b\n"}, {}, {}};
    engine::run(plan, sweep::compute, quiet(folder.path()));
    plan.contents[0][1] = "code: c\n";
    const auto status = engine::status(plan, folder.path());
    CHECK(status.count(engine::State::done) == 20);
    CHECK(status.count(engine::State::stale) == 18);
    CHECK(status.cells.back().reason == "regime code: c (was b)");
    CHECK(engine::run(plan, sweep::compute, quiet(folder.path())).computed == 18);
}

TEST_CASE("configurations share the cells that they have in common, whatever their names and profiles are") {
    const Folder folder;
    engine::run(sweep::plan(), sweep::compute, quiet(folder.path()));
    auto other = sweep::plan();
    other.config = "other";
    other.profile = "smoke";
    other.resolved = "experiment: variance\nseed: 1\nfewer: true\n";
    other.cells.resize(12);
    Counted counted;
    const auto summary = engine::run(other, counted.function(), quiet(folder.path()));
    CHECK(counted.calls == 0);
    CHECK(summary.reused == 12);
    CHECK(summary.collected == folder.path() / "smoke" / "variance" / "other.h5");
}

TEST_CASE("stale cells are kept where that is asked for, and the file says so") {
    const Folder folder;
    engine::run(sweep::plan(), sweep::compute, quiet(folder.path()));
    auto plan = sweep::plan();
    plan.common = "study: variance/small\nseed: 2\n";
    auto options = quiet(folder.path());
    options.keep_stale = true;
    Counted counted;
    const auto summary = engine::run(plan, counted.function(), options);
    CHECK(counted.calls == 0);
    const auto whole = store::read(summary.collected);
    CHECK(whole.attributes.at("stale_cells") == "38");
    CHECK(whole.attributes.at("stale_since") == "seed: 2 (was 1)");
    CHECK(whole.variable("kernel").values[0] == sweep::compute(plan.cells[0]).variable("kernel").values[0]);

    // Without that wish they are computed, and nothing is said of them.
    const auto again = engine::run(plan, counted.function(), quiet(folder.path()));
    CHECK(counted.calls == 38);
    CHECK(store::read(again.collected).attributes.count("stale_cells") == 0);
}

TEST_CASE("values that are not the same again are named") {
    const Folder folder;
    engine::run(sweep::plan(), sweep::compute, quiet(folder.path()));
    auto plan = sweep::plan();
    auto options = quiet(folder.path());
    options.fresh = true;
    const auto other = [&](const engine::Cell& cell) {
        auto data = sweep::compute(cell);
        if (cell.key == plan.cells[3].key) data.variables[1].values[0] += 1e-15;
        return data;
    };
    CHECK(engine::run(plan, other, options).unequal == std::vector<std::string>{plan.cells[3].key});
    plan.measured = true;
    CHECK(engine::run(plan, sweep::compute, options).unequal.empty());
}

TEST_CASE("what is measured anew counts, though the clock is behind that of the cells before") {
    const Folder folder;
    auto plan = sweep::plan();
    plan.measured = true;
    auto options = quiet(folder.path());
    engine::run(plan, sweep::compute, options);
    {
        // The same cells, stored by a clock that was three years ahead.
        store::CellStore cells(folder.path() / "cells");
        std::vector<store::Entry> entries;
        for (const auto& [identity, entry] : cells.cells()) entries.push_back(entry);
        for (store::Entry& entry : entries) {
            entry.record.time += std::int64_t{100'000'000} * 1'000'000'000;
            cells.copy(cells, entry);
        }
        cells.commit();
    }
    double took = 0;
    const auto measure = [&](const engine::Cell& cell) {
        auto data = sweep::compute(cell);
        data.variables[1].values[0] = took;
        return data;
    };
    for (const bool fresh : {true, true, false}) {
        options.fresh = fresh;
        took += fresh;
        const auto summary = engine::run(plan, measure, options);
        CHECK(summary.computed == (fresh ? 38 : 0));
        const store::Dataset data = store::read(summary.collected);
        // The places of two cells that there are not hold NaN.
        CHECK(std::count(data.variables[1].values.begin(), data.variables[1].values.end(), took) == 38);
    }
}

TEST_CASE("the same values of another commit are the same, and a damaged cell is compared with nothing") {
    const Folder folder;
    engine::run(sweep::plan(), sweep::compute, quiet(folder.path()));
    damage(folder.path(), sweep::plan(), one_cell);
    auto plan = sweep::plan();
    plan.provenance["commit"] = "later";
    auto options = quiet(folder.path());
    options.fresh = true;
    const auto again = engine::run(plan, sweep::compute, options);
    CHECK(again.computed == 38);
    CHECK(again.unequal.empty());
    CHECK(store::read(again.collected).attributes.at("commit") == "later");
}

TEST_CASE("another commit computes nothing again, and the collected file keeps the truth") {
    const Folder folder;
    engine::run(sweep::plan(), sweep::compute, quiet(folder.path()));
    const auto before = snapshot(folder.path());
    auto plan = sweep::plan();
    plan.provenance["commit"] = "later";
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

TEST_CASE("a damaged cell is computed again when it is needed, and the run says so") {
    const Folder folder;
    engine::run(sweep::plan(), sweep::compute, quiet(folder.path()));
    const auto before = snapshot(folder.path());
    damage(folder.path(), sweep::plan(), one_cell);
    fs::remove(folder.path() / "variance" / "small.h5");

    std::ostringstream out;
    auto options = quiet(folder.path());
    options.progress = engine::ProgressMode::lines;
    options.out = &out;
    Counted counted;
    engine::run(sweep::plan(), counted.function(), options);
    CHECK(counted.calls == 1);
    INFO(out.str());
    CHECK(contains(out.str(), "regime=sphere,gamma=0.1,repeat=2 is computed again: the "));
    CHECK(contains(out.str(), "are not those that were written"));
    // The damaged cell is neither counted twice nor as one from before.
    CHECK(contains(out.str(), "done, 38 of 38 cells, 37 from before"));
    CHECK(differences(snapshot(folder.path()), before) == "");
}

TEST_CASE("of a pack that is cut short or overwritten what is whole is used, and the rest computed again") {
    const Folder folder;
    engine::run(sweep::plan(), sweep::compute, quiet(folder.path(), 1));
    const auto before = snapshot(folder.path());
    const auto [pack, record] = stored(folder.path(), sweep::plan(), one_cell);
    std::string bytes = bytes_of(pack);
    int lost = 0;
    SECTION("cut short") {
        bytes.resize(record.offset + 3);
        lost = 16;  // itself and those after it
    }
    SECTION("a head") {
        bytes[record.offset - 10] ^= 1;
        lost = 1;
    }
    SECTION("the file is gone") { lost = 38; }
    if (lost == 38)
        fs::remove(pack);
    else
        put_bytes(pack, bytes);
    CHECK(engine::status(sweep::plan(), folder.path()).count(engine::State::done) == std::size_t(38 - lost));
    Counted counted;
    engine::run(sweep::plan(), counted.function(), quiet(folder.path()));
    CHECK(counted.calls == lost);
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

TEST_CASE("a fresh run computes everything, and what an interrupted one has left to do was there before") {
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
    CHECK(counted.calls == 5);
    engine::run(sweep::plan(), counted.function(), quiet(folder.path()));
    CHECK(counted.calls == 5);
    CHECK(differences(snapshot(folder.path()), before) == "");
    options.stop = nullptr;
    engine::run(sweep::plan(), counted.function(), options);
    CHECK(counted.calls == 43);
    CHECK(differences(snapshot(folder.path()), before) == "");
}

TEST_CASE("a cell that fails after a change does not take the earlier result with it") {
    const Folder folder;
    engine::run(sweep::plan(), sweep::compute, quiet(folder.path()));
    auto changed = sweep::plan();
    changed.common += "more: true\n";
    const auto fail = [](const engine::Cell&) -> store::Dataset { throw std::runtime_error("no"); };
    CHECK(engine::run(changed, fail, quiet(folder.path())).failed.size() == 38);
    Counted counted;
    engine::run(sweep::plan(), counted.function(), quiet(folder.path()));
    CHECK(counted.calls == 0);
    CHECK(differences(snapshot(folder.path()), uninterrupted(sweep::plan())) == "");
}

TEST_CASE("whatever is damaged beside a current result, a run makes it good") {
    const Folder folder;
    engine::run(sweep::plan(), sweep::compute, quiet(folder.path()));
    const auto before = snapshot(folder.path());
    const fs::path result = folder.path() / "variance/small", list = result / "cells", sums = result / "SHA256SUMS";
    const auto pack = [&] { return store::CellStore(folder.path() / "cells").packs().front(); };
    const auto remove_packs = [&] {
        const store::CellStore cells(folder.path() / "cells");
        for (const fs::path& one : cells.packs()) fs::remove(one);
    };
    const auto mends = [&](const std::string& damage, std::size_t computed) {
        INFO(damage);
        Counted counted;
        engine::run(sweep::plan(), counted.function(), quiet(folder.path()));
        CHECK(std::size_t(counted.calls) == computed);
        CHECK(store::verify(result).empty());
        CHECK(differences(snapshot(folder.path()), before) == "");
        const store::CellStore cells(folder.path() / "cells");
        CHECK(cells.damaged().empty());
        CHECK(cells.faulty().empty());
        for (const auto& [identity, entry] : cells.cells()) CHECK_NOTHROW(cells.check_bytes(entry));
        CHECK(cells.cells().size() == 38);
    };
    for (const std::string& bytes : {std::string(), bytes_of(list).substr(0, 65), "x" + bytes_of(list).substr(1)}) {
        put_bytes(list, bytes);
        mends("a list of cells", 0);
    }
    fs::remove(list);
    mends("no list of cells", 0);
    const std::string listed = bytes_of(sums);
    for (const std::string& bytes : {listed.substr(0, listed.find('\n') + 1), "x" + listed, std::string()}) {
        put_bytes(sums, bytes);
        mends("a list", 0);
    }
    fs::create_directories(result / "next-1");
    put_bytes(result / "next-1/SHA256SUMS", "nonsense\n");
    mends("a list of an earlier process", 0);

    const std::string whole = bytes_of(pack());
    const auto records = store::read_pack(pack()).records;
    std::string bytes = whole;
    const auto cell = std::find_if(records.begin(), records.end(),
                                   [](const auto& one) { return one.kind == store::RecordKind::cell; });
    bytes[cell->offset + cell->size - 1] ^= 1;
    put_bytes(pack(), bytes);
    mends("a cell", 1);
    remove_packs();
    const fs::path again = folder.path() / "cells/host-1-a.pack";
    bytes = whole;
    bytes[cell->offset - 100] ^= 1;
    put_bytes(again, bytes);
    mends("the head of a cell", 1);
    for (const std::string& cut : {std::string(), whole.substr(0, whole.size() - 9), std::string(whole.size(), '\0')}) {
        remove_packs();
        put_bytes(again, cut);
        mends("a pack that was cut or zeroed", cut.size() > 0 && cut[0] == 'r' ? 1 : 38);
    }
}
