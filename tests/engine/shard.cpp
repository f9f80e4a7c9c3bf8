#include "rfbench/engine/shard.hpp"

#include <fcntl.h>

#include <numeric>
#include <set>

#include "catch.hpp"
#include "rfbench/engine/merge_stores.hpp"
#include "rfbench/engine/status.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/descriptor.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"
#include "sweep.hpp"

using namespace sweep;
using namespace rfbench::tests;

namespace {

std::vector<engine::Load> loads(std::size_t count, const std::function<double(std::size_t)>& seconds) {
    std::vector<engine::Load> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back({store::digest("cell " + std::to_string(i)), seconds(i)});
    return all;
}

engine::Options shard_of(const fs::path& folder, std::size_t index, std::size_t count) {
    auto options = quiet(folder);
    options.shard = engine::Shard{index, count};
    return options;
}

}  // namespace

TEST_CASE("a shard is two numbers, the first no larger than the second") {
    CHECK(engine::parse_shard("2/8").name() == "2-of-8");
    for (const char* wrong : {"", "2", "0/8", "9/8", "2/", "/8", "a/8", "2/8/3", "-1/8", "2 /8", "1/2000000"}) {
        INFO(wrong);
        CHECK(contains(refusal<rfbench::InputError>([&] { engine::parse_shard(wrong); }), "is no shard"));
    }
}

TEST_CASE("every cell is in one shard, whatever their number") {
    for (const std::size_t count : {1u, 2u, 7u, 100u, 1000u}) {
        const Folder folder;
        const auto all = loads(100, [](std::size_t) { return 0; });
        std::multiset<std::size_t> seen;
        for (std::size_t i = 1; i <= count; ++i)
            for (const std::size_t cell : engine::cells_of({i, count}, all, folder.path())) seen.insert(cell);
        CHECK(seen.size() == 100);
        CHECK(std::set<std::size_t>(seen.begin(), seen.end()).size() == 100);
    }
}

TEST_CASE("shards take about equal times") {
    // The largest share is at most the mean and the longest cell.
    const auto all = loads(1000, [](std::size_t i) { return i % 10 == 0 ? 0.0 : 1.0 + double(i % 7); });
    double known = 0;
    for (const auto& cell : all) known += cell.seconds;
    const double mean = known / 900, whole = known + 100 * mean, longest = 7;
    const Folder folder;
    for (std::size_t i = 1; i <= 8; ++i) {
        double share = 0;
        for (const std::size_t cell : engine::cells_of({i, 8}, all, folder.path()))
            share += all[cell].seconds > 0 ? all[cell].seconds : mean;
        CHECK(std::abs(share - whole / 8) <= longest);
    }
}

TEST_CASE("shards keep their ends when more is known of times, and find others for other cells") {
    const Folder folder;
    const auto before = loads(50, [](std::size_t) { return 0; });
    const auto after = loads(50, [](std::size_t i) { return double(i); });
    const auto first = engine::cells_of({2, 3}, before, folder.path());
    CHECK(engine::cells_of({2, 3}, after, folder.path()) == first);
    const auto more = loads(51, [](std::size_t i) { return double(i); });
    CHECK(engine::cells_of({2, 3}, more, folder.path()).size() != first.size());
}

TEST_CASE("shards of one folder compute every cell once, and a run collects them to the same bytes") {
    const Folder whole, folder;
    engine::run(sweep::plan(), sweep::compute, quiet(whole.path()));
    Counted counted;
    for (std::size_t i = 1; i <= 3; ++i) {
        const auto summary = engine::run(sweep::plan(), counted.function(), shard_of(folder.path(), i, 3));
        CHECK(summary.collected.empty());
        CHECK(summary.computed == summary.cells);
    }
    CHECK(counted.calls == 38);
    engine::run(sweep::plan(), counted.function(), quiet(folder.path()));
    CHECK(counted.calls == 38);
    CHECK(differences(snapshot(folder.path()), snapshot(whole.path())) == "");
}

TEST_CASE("a shard tells of its own failures, not of those of others") {
    const Folder folder;
    const auto fails = [](const engine::Cell&) -> store::Dataset { throw std::runtime_error("no value"); };
    const auto second = engine::run(sweep::plan(), fails, shard_of(folder.path(), 2, 2));
    CHECK(second.failed.size() == second.cells);
    const auto first = engine::run(sweep::plan(), sweep::compute, shard_of(folder.path(), 1, 2));
    CHECK(first.computed == first.cells);
    CHECK(first.failed.empty());
}

TEST_CASE("a run or a shard leaves alone what others are writing, and removes what they left") {
    const Folder folder;
    const fs::path written = folder.path() / "variance" / "small" / ".rfbench-1-0.tmp";
    fs::create_directories(written.parent_path());
    put_bytes(written, "half a journal");
    REQUIRE(store::is_temporary(written));
    {
        const store::Descriptor writer(written, O_RDONLY, "open");
        REQUIRE(store::try_lock(writer.number()));
        for (std::size_t i = 1; i <= 2; ++i) engine::run(sweep::plan(), sweep::compute, shard_of(folder.path(), i, 2));
        engine::run(sweep::plan(), sweep::compute, quiet(folder.path()));
        CHECK(fs::exists(written));
    }
    engine::run(sweep::plan(), sweep::compute, shard_of(folder.path(), 1, 2));
    CHECK(!fs::exists(written));
}

TEST_CASE("shards of folders of their own are united to the same bytes, again and again") {
    const Folder whole, a, b, ours;
    engine::run(sweep::plan(), sweep::compute, quiet(whole.path()));
    engine::run(sweep::plan(), sweep::compute, shard_of(a.path(), 1, 2));
    engine::run(sweep::plan(), sweep::compute, shard_of(b.path(), 2, 2));
    std::size_t taken = 0;
    for (int turn = 0; turn < 2; ++turn)
        for (const auto* tree : {&a, &b}) {
            store::CellStore to(ours.path() / "cells");
            const auto united = engine::merge_stores(store::CellStore(tree->path() / "cells"), to);
            CHECK(united.damaged.empty());
            CHECK((turn == 0 || united.taken == 0));
            taken += united.taken;
        }
    CHECK(taken == 38);
    Counted counted;
    engine::run(sweep::plan(), counted.function(), quiet(ours.path()));
    CHECK(counted.calls == 0);
    CHECK(differences(snapshot(ours.path()), snapshot(whole.path())) == "");
}

TEST_CASE("two runs of one shard refuse, two shards do not") {
    const Folder folder;
    std::atomic<bool> inside{false};
    engine::run(
        sweep::plan(),
        [&](const engine::Cell& cell) {
            if (!inside.exchange(true)) {
                CHECK(contains(
                    refusal([&] { engine::run(sweep::plan(), sweep::compute, shard_of(folder.path(), 1, 2)); }),
                    "a run is at work here already"));
                CHECK(refusal([&] {
                          auto options = shard_of(folder.path(), 2, 2);
                          options.signals = false;
                          engine::run(sweep::plan(), sweep::compute, options);
                      }) == "accepted");
            }
            return sweep::compute(cell);
        },
        shard_of(folder.path(), 1, 2));
    CHECK(engine::status(sweep::plan(), folder.path()).count(engine::State::done) == 38);
}
