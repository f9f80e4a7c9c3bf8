// Kills, terminations and interruptions of a run in a process of its own.
#include <csignal>
#include <fstream>
#include <memory>
#include <mutex>
#include <random>

#include "catch.hpp"
#include "child.hpp"
#include "rfbench/engine/layout.hpp"
#include "rfbench/engine/lock.hpp"
#include "rfbench/engine/status.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/checksums.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace sweep;
using namespace rfbench::tests;

TEST_CASE("the child's run", "[.child]") {
    const fs::path folder = std::getenv("RFBENCH_CHILD_FOLDER"), scratch = std::getenv("RFBENCH_CHILD_SCRATCH");
    const double milliseconds = std::stod(std::getenv("RFBENCH_CHILD_MILLISECONDS"));
    const std::string order = std::getenv("RFBENCH_CHILD_ORDER");
    const std::size_t hold = std::stoul(std::getenv("RFBENCH_CHILD_HOLD"));
    std::ofstream begun(scratch / "begun", std::ios::binary);
    std::size_t count = 0;
    std::mutex counting;
    auto options = quiet(folder, std::stoi(std::getenv("RFBENCH_CHILD_THREADS")));
    options.order = order == "reverse"    ? engine::Order::reverse
                    : order == "shuffled" ? engine::Order::shuffled
                                          : engine::Order::forward;
    if (const std::string shard = std::getenv("RFBENCH_CHILD_SHARD"); !shard.empty())
        options.shard = engine::parse_shard(shard);
    const auto summary = engine::run(
        sweep::plan(),
        [&](const engine::Cell& cell) {
            bool waits = false;
            {
                const std::lock_guard one_at_a_time(counting);
                begun << '.' << std::flush;
                waits = ++count >= hold;
            }
            while (waits && !fs::exists(scratch / "go")) sleep_seconds(0.0005);
            sleep_seconds(milliseconds / 1000);
            return sweep::compute(cell);
        },
        options);
    std::ostringstream text;
    text << (summary.interrupted ? "interrupted " : "whole ") << summary.reused << ' ' << summary.computed;
    put_bytes(scratch / "outcome", text.str());
}

namespace {

// Checks what must hold for a tree at any moment. Returns the number of cells of the plan that are there.
std::size_t audit(const fs::path& folder) {
    const engine::Layout at(folder, sweep::plan());
    const store::CellStore cells(at.cells);
    CHECK(cells.damaged().empty());
    for (const auto& [identity, entry] : cells.cells()) REQUIRE(cells.read(entry).data.variables.size() == 2);
    if (fs::exists(at.collected)) REQUIRE(store::read(at.collected).axes.size() == 4);
    const fs::path sums = at.folder / "SHA256SUMS";
    if (fs::exists(sums)) {
        const std::string check = "cd '" + at.folder.string() + "' && sha256sum --status --strict -c SHA256SUMS";
        // sha256sum refuses a list of no file, which a result has while its files are replaced.
        REQUIRE((store::read_checksums(at.folder).empty() || std::system(check.c_str()) == 0));
    }
    return engine::status(sweep::plan(), folder).count(engine::State::done);
}

}  // namespace

TEST_CASE("killed at any moment, nothing is unreadable, nothing reported done is lost, and the end is the same") {
    const auto expected = uninterrupted(sweep::plan());
    const Folder scratch;
    std::mt19937 bits(20260101);
    const char* orders[] = {"forward", "reverse", "shuffled"};
    int kills = 0, trees = 0, midway = 0;
    while (kills < 110) {
        const Folder folder;
        // Every second tree holds the results of an earlier configuration, which are replaced.
        auto older = sweep::plan();
        older.common = "older: true\n";
        if (++trees % 2 == 0) engine::run(older, sweep::compute, quiet(folder.path()));
        std::size_t done = 0;
        for (bool whole = false; !whole;) {
            // It is killed while it stores what it has begun, and cannot end before: soon it waits.
            const int threads = 1 + int(bits() % 3);
            const std::size_t some = 2 + bits() % (39 - done);
            Child child(folder.path(), scratch.path(), threads, orders[bits() % 3], 0.5, "", some + 4);
            child.wait_begun(some);
            sleep_seconds(0.003 * double(bits()) / double(bits.max()));
            child.signal(SIGKILL);
            whole = !WIFSIGNALED(child.wait());
            kills += whole ? 0 : 1;

            const std::size_t now = audit(folder.path());
            REQUIRE(now >= done);
            midway += now > done && now < 38 ? 1 : 0;
            done = now;
            if (whole) REQUIRE(bytes_of(child.outcome).substr(0, 5) == "whole");
        }
        REQUIRE(done == 38);
        REQUIRE(differences(snapshot(folder.path()), expected) == "");
    }
    // Most kills must have hit a run that was storing cells, else this test shows little.
    INFO(kills << " kills in " << trees << " sweeps, " << midway << " between the first and the last cell");
    CHECK(midway >= kills / 4);
}

TEST_CASE("of shards at work side by side one is killed, and the end is the same") {
    const Folder folder;
    constexpr std::size_t count = 4;
    const std::vector<Folder> scratch(count);
    std::vector<std::unique_ptr<Child>> shards;
    for (std::size_t i = 0; i < count; ++i)
        shards.push_back(std::make_unique<Child>(folder.path(), scratch[i].path(), 1, "forward", 1,
                                                 std::to_string(i + 1) + "/" + std::to_string(count), 4));
    for (const auto& shard : shards) shard->wait_begun(4);
    shards[1]->signal(SIGKILL);
    CHECK(WIFSIGNALED(shards[1]->wait()));
    for (const auto& shard : shards) shard->let_go();
    for (const std::size_t i : {0, 2, 3}) {
        CHECK(shards[i]->wait() == 0);
        CHECK(bytes_of(shards[i]->outcome).starts_with("whole 0 "));
    }
    const std::size_t left = 38 - audit(folder.path());
    CHECK(left > 0);
    CHECK(left < 38 / count + 8);

    // The same shard computes what it had left, and nothing else is left for the run that collects.
    Child again(folder.path(), scratch[1].path(), 1, "forward", 0, "2/4");
    CHECK(again.wait() == 0);
    CHECK(bytes_of(again.outcome).ends_with(" " + std::to_string(left)));
    Counted counted;
    engine::run(sweep::plan(), counted.function(), quiet(folder.path()));
    CHECK(counted.calls == 0);
    CHECK(differences(snapshot(folder.path()), uninterrupted(sweep::plan())) == "");

    // Nobody holds anything any more.
    for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
        INFO(entry.path());
        CHECK(!store::is_temporary(entry.path()));
        if (entry.path().extension() == ".pack") CHECK(store::hold_pack(entry.path()) != nullptr);
        if (entry.path().filename().string().starts_with("lock"))
            CHECK(refusal([&] { const engine::Lock lock(entry.path()); }) == "accepted");
    }
}

TEST_CASE("SIGINT and SIGTERM end a run in good order, and it can be resumed") {
    const auto expected = uninterrupted(sweep::plan());
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        const Folder folder, scratch;
        Child child(folder.path(), scratch.path(), 2, "forward", 20, "", 10);
        child.wait_begun(11);
        child.signal(number);
        child.let_go();
        const int status = child.wait();
        INFO(bytes_of(scratch.path() / "log"));
        REQUIRE(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);

        std::istringstream outcome(bytes_of(child.outcome));
        std::string word;
        std::size_t reused = 0, computed = 0;
        outcome >> word >> reused >> computed;
        CHECK(word == "interrupted");
        CHECK(computed >= 1);
        CHECK(computed < 38);
        CHECK(audit(folder.path()) == computed);
        CHECK(!fs::exists(folder.path() / "variance" / "small.h5"));

        Counted counted;
        engine::run(sweep::plan(), counted.function(), quiet(folder.path()));
        CHECK(std::size_t(counted.calls) == 38 - computed);
        CHECK(differences(snapshot(folder.path()), expected) == "");
    }
}

TEST_CASE("a second Ctrl-C ends a run whose cells take long at once") {
    const Folder folder, scratch;
    Child child(folder.path(), scratch.path(), 2, "forward", 0, "", 1);
    child.wait_begun();
    child.signal(SIGINT);
    sleep_seconds(0.2);
    CHECK(waitpid(child.pid, nullptr, WNOHANG) == 0);
    // On a busy machine a signal may find the one before it not yet delivered, and then the two are one: send more.
    int status = 0;
    for (child.signal(SIGINT); waitpid(child.pid, &status, WNOHANG) == 0; sleep_seconds(0.2)) child.signal(SIGINT);
    child.pid = -1;
    REQUIRE(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGINT);
    CHECK(audit(folder.path()) == 0);
}

TEST_CASE("a killed run leaves no lock behind, a running one does") {
    const Folder folder, scratch;
    Child child(folder.path(), scratch.path(), 1, "forward", 0, "", 1);
    child.wait_begun();
    const auto begin = [&] { engine::run(sweep::plan(), sweep::compute, quiet(folder.path())); };
    CHECK(contains(refusal<std::runtime_error>(begin), "process " + std::to_string(child.pid)));
    child.signal(SIGKILL);
    child.wait();
    begin();
    CHECK(audit(folder.path()) == 38);
}
