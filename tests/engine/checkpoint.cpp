// Cells that take long: what they have come to outlives an interruption.
#include "rfbench/engine/checkpoint.hpp"

#include <mutex>
#include <sstream>

#include "catch.hpp"
#include "rfbench/engine/prune.hpp"
#include "sweep.hpp"

using namespace sweep;
using namespace rfbench::tests;

namespace {

constexpr int steps = 6;

/// Each cell's values are added up in steps, from where its checkpoint stands.
struct Slow {
    std::atomic<bool> stop{false};
    int stop_after = -1, fail_after = -1;  ///< steps of all cells together
    int made = 0, taken_up = 0;

    engine::Compute function() {
        return [this](const engine::Cell& cell, engine::Checkpoint& checkpoint) {
            int step = 0;
            double sum = 0;
            if (const auto last = checkpoint.last()) {
                ++taken_up;
                step = static_cast<int>(last->variables[0].values[0]);
                sum = last->variables[0].values[1];
            }
            for (; step < steps; ++step) {
                checkpoint.save_if_due([&] {
                    return store::Dataset{{}, {{"state", {}, {static_cast<double>(step), sum}, "", ""}}, {}};
                });
                if (made == fail_after) throw std::runtime_error("as if killed");
                sum += sweep::value(cell, step);
                stop = ++made == stop_after;
            }
            return store::Dataset{{}, {{"sum", {}, {sum}, "", ""}}, {}};
        };
    }
};

engine::Plan few() {
    auto plan = sweep::plan();
    plan.cells.resize(3);
    return plan;
}

engine::Summary run(Slow& slow, const fs::path& folder, double interval = 0) {
    auto options = quiet(folder, 1);
    options.stop = &slow.stop;
    options.checkpoint_interval = interval;
    slow.stop = false;
    return engine::run(few(), slow.function(), options);
}

std::map<std::string, std::string> without_a_stop() {
    const Folder folder;
    Slow slow;
    run(slow, folder.path(), 1e9);
    CHECK(slow.made == 3 * steps);
    return snapshot(folder.path());
}

}  // namespace

TEST_CASE("a cell that is stopped goes on from where it was, to the same files") {
    const auto expected = without_a_stop();
    for (int stop_after = 1; stop_after < 3 * steps; ++stop_after) {
        const Folder folder;
        Slow slow;
        slow.stop_after = stop_after;
        // Long before the interval is over: a stop is reason enough.
        CHECK(run(slow, folder.path(), 1e9).interrupted);
        const bool within = stop_after % steps != 0;
        CHECK(slow.made == stop_after);
        CHECK(run(slow, folder.path(), 1e9).computed == static_cast<std::size_t>(3 - stop_after / steps));
        CHECK(slow.made == 3 * steps);
        CHECK(slow.taken_up == (within ? 1 : 0));
        CHECK(differences(snapshot(folder.path()), expected) == "");
    }
}

TEST_CASE("a cell that was killed goes on from its last checkpoint, and from its start where that is damaged") {
    const auto expected = without_a_stop();
    for (const bool damaged : {false, true}) {
        const Folder folder;
        Slow slow;
        slow.fail_after = 3;
        CHECK(run(slow, folder.path()).failed.size() == 3);
        slow.fail_after = -1;
        for (const auto& file : fs::directory_iterator(folder.path() / "cells" / "checkpoints")) {
            std::string bytes = bytes_of(file.path());
            if (damaged) bytes[bytes.size() - 12] ^= 1;
            put_bytes(file.path(), bytes);
        }
        CHECK(run(slow, folder.path()).computed == 3);
        CHECK(slow.taken_up == (damaged ? 0 : 3));
        CHECK(slow.made == 3 * steps + (damaged ? 3 : 0));
        CHECK(differences(snapshot(folder.path()), expected) == "");
    }
}

TEST_CASE("--fresh takes up no checkpoint; prune removes what was left") {
    const Folder folder;
    Slow slow;
    slow.stop_after = 2;
    run(slow, folder.path());
    CHECK(engine::unneeded(folder.path()).checkpoints == 1);
    auto options = quiet(folder.path(), 1);
    options.fresh = true;
    engine::run(few(), slow.function(), options);
    CHECK(slow.taken_up == 0);
    CHECK(slow.made == 2 + 3 * steps);

    const Folder other;
    slow.made = 0;
    run(slow, other.path());
    CHECK(engine::prune(other.path()).checkpoints == 1);
    CHECK(engine::unneeded(other.path()).checkpoints == 0);
    CHECK(run(slow, other.path()).computed == 3);
    CHECK(slow.taken_up == 0);
}

TEST_CASE("where no checkpoint can be written a cell is computed all the same, and the user hears of it") {
    const Folder folder;
    fs::create_directories(folder.path() / "cells");
    put_bytes(folder.path() / "cells" / "checkpoints", "in the way");
    Slow slow;
    std::ostringstream said;
    auto options = quiet(folder.path(), 1);
    options.checkpoint_interval = 0;
    options.progress = engine::ProgressMode::lines;
    options.out = &said;
    CHECK(engine::run(few(), slow.function(), options).computed == 3);
    CHECK(said.str().find("would begin again after an interruption: ") != std::string::npos);
}
