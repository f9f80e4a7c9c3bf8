// A disk that fails while a run stores its cells: every system call in turn, at every moment.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "catch.hpp"
#include "rfbench/engine/status.hpp"
#include "rfbench/store/cell_store.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/system_calls.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"
#include "sweep.hpp"

using namespace sweep;
using namespace rfbench::tests;

namespace {

// From its n-th use on the named call fails with the given error; the others go on as before.
store::SystemCalls failing(const std::string& call, int n, int error, std::atomic<int>& used) {
    store::SystemCalls calls = store::system_calls();
    const auto fails = [n, error, &used] {
        if (++used < n) return false;
        errno = error;
        return true;
    };
    if (call == "open")
        calls.open = [fails, real = calls.open](const char* path, int flags, mode_t mode) {
            return fails() ? -1 : real(path, flags, mode);
        };
    if (call == "write")
        calls.write = [fails, real = calls.write](int file, const void* data, std::size_t size) {
            return fails() ? ssize_t(-1) : real(file, data, size);
        };
    if (call == "fsync") calls.fsync = [fails, real = calls.fsync](int file) { return fails() ? -1 : real(file); };
    if (call == "rename")
        calls.rename = [fails, real = calls.rename](const char* from, const char* to) {
            return fails() ? -1 : real(from, to);
        };
    return calls;
}

engine::Plan short_plan() {
    auto plan = sweep::plan();
    plan.cells.resize(4);
    return plan;
}

}  // namespace

TEST_CASE("a disk that fails stops the run with file and reason, what was reported done stays, a resume completes") {
    const Folder whole;
    std::map<std::string, int> uses;
    for (const std::string call : {"open", "write", "fsync", "rename"}) {
        std::atomic<int> used{0};
        const Folder folder;
        const store::ReplacedSystemCalls replaced(failing(call, 1000000, EIO, used));
        engine::run(short_plan(), sweep::compute, quiet(folder.path(), 1));
        uses[call] = used;
    }
    engine::run(short_plan(), sweep::compute, quiet(whole.path(), 1));
    const auto expected = snapshot(whole.path());

    for (const auto& [call, count] : uses) {
        REQUIRE(count >= 1);
        for (int n = 1; n <= count; ++n) {
            const Folder folder;
            const auto plan = short_plan();
            const int reason = call == "write" ? ENOSPC : EIO;
            std::string text;
            {
                std::atomic<int> used{0};
                const store::ReplacedSystemCalls replaced(failing(call, n, reason, used));
                text = refusal<store::Error>([&] { engine::run(plan, sweep::compute, quiet(folder.path(), 2)); });
            }
            INFO(call << " " << n << ": " << text);
            REQUIRE(contains(text, std::strerror(reason)));
            REQUIRE(contains(text, folder.path().string()));

            const std::size_t there = engine::status(plan, folder.path()).count(engine::State::done);
            const store::CellStore cells(folder.path() / "cells");
            for (const auto& [identity, entry] : cells.cells()) REQUIRE_NOTHROW(cells.read(entry));

            Counted counted;
            const auto summary = engine::run(plan, counted.function(), quiet(folder.path(), 2));
            REQUIRE(summary.reused == there);
            REQUIRE(std::size_t(counted.calls) == 4 - there);
            REQUIRE(differences(snapshot(folder.path()), expected) == "");
        }
    }
}

TEST_CASE("a long cell is on the disk though another was stored just before it") {
    const Folder folder;
    auto options = quiet(folder.path(), 2);
    options.commit_interval = 0.05;
    std::atomic<int> begun{0};
    std::atomic<std::size_t> stored{0};
    engine::run(
        sweep::plan(),
        [&](const engine::Cell& cell) {
            const int turn = begun++;
            // The first two end together. The third waits for the second to be stored, and looks.
            if (turn < 2) std::this_thread::sleep_for(std::chrono::milliseconds(600));
            if (turn == 2) {
                std::this_thread::sleep_for(std::chrono::milliseconds(200));
                stored = engine::status(sweep::plan(), folder.path()).count(engine::State::done);
            }
            if (turn > 2) std::this_thread::sleep_for(std::chrono::milliseconds(turn == 3 ? 400 : 0));
            return sweep::compute(cell);
        },
        options);
    CHECK(stored >= 2);
}

TEST_CASE("after the store has failed no further cell is begun") {
    const Folder folder;
    std::atomic<int> used{0};
    Counted counted;
    // Every cell is one write: the third fails.
    const store::ReplacedSystemCalls replaced(failing("write", 3, ENOSPC, used));
    const std::string text =
        refusal<store::Error>([&] { engine::run(sweep::plan(), counted.function(), quiet(folder.path(), 1)); });
    INFO(text);
    CHECK(contains(text, (folder.path() / "cells").string()));
    CHECK(counted.calls == 3);
    CHECK(engine::status(sweep::plan(), folder.path()).count(engine::State::done) == 2);
}

TEST_CASE("what a cell throws is its own failure, also when it is the store's error") {
    const Folder folder;
    const auto plan = short_plan();
    const auto summary = engine::run(
        plan,
        [&](const engine::Cell& cell) {
            if (cell.key == plan.cells[1].key) throw store::Error("cannot open the data");
            return sweep::compute(cell);
        },
        quiet(folder.path()));
    CHECK(summary.computed == 3);
    REQUIRE(summary.failed.size() == 1);
    CHECK(summary.failed[0].reason == "cannot open the data");
}

TEST_CASE("a results folder that cannot be made is an error that names it") {
    const Folder folder;
    put_bytes(folder.path() / "file", "");
    const std::string text =
        refusal<std::exception>([&] { engine::run(sweep::plan(), sweep::compute, quiet(folder.path() / "file")); });
    CHECK(contains(text, (folder.path() / "file").string()));
}

TEST_CASE("a line of the journal that cannot be read costs no cell, and the run says so") {
    const Folder folder;
    engine::run(sweep::plan(), sweep::compute, quiet(folder.path()));
    const auto before = snapshot(folder.path());
    const fs::path journal = folder.path() / "variance" / "small" / "journal";
    std::string text = bytes_of(journal);
    text[text.find("sha256") + 20] = '\x01';
    put_bytes(journal, text);

    std::ostringstream out;
    auto options = quiet(folder.path());
    options.progress = engine::ProgressMode::lines;
    options.out = &out;
    Counted counted;
    engine::run(sweep::plan(), counted.function(), options);
    CHECK(counted.calls == 0);
    CHECK(contains(out.str(), journal.string() + ":1: "));
    CHECK(differences(snapshot(folder.path()), before) == "");
}
