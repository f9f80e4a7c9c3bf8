#pragma once
// A run of the small sweep in a process of its own, to be interrupted and killed.
#include <chrono>
#include <thread>

#include "support/child_process.hpp"
#include "sweep.hpp"

namespace sweep {

inline void sleep_seconds(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

struct Child : rfbench::tests::ChildProcess {
    fs::path begun, go, outcome;

    /// Starts a run of the sweep in `folder`, or of a shard ("2/4"); every cell takes `milliseconds`. The `hold`-th
    /// cell that begins, and those after it, wait until they are let go: so a slow test meets a run that is still at
    /// work.
    Child(const fs::path& folder, const fs::path& scratch, int threads, const char* order, double milliseconds,
          const std::string& shard = "", std::size_t hold = 1000)
        : rfbench::tests::ChildProcess("[.child]",
                                       variables(folder, scratch, threads, order, milliseconds, shard, hold),
                                       (scratch / "log").string()),
          begun(scratch / "begun"),
          go(scratch / "go"),
          outcome(scratch / "outcome") {}

    /// Until the run has begun so many cells (or the process has ended).
    void wait_begun(std::size_t cells = 1) const {
        std::error_code absent;
        while (!ended()) {
            const auto size = fs::file_size(begun, absent);
            if (!absent && size >= cells) return;
            sleep_seconds(0.0005);
        }
    }
    void let_go() const { rfbench::tests::put_bytes(go, "yes"); }

private:
    /// Environment of the child. Files that an earlier child has left are removed first.
    static std::vector<std::string> variables(const fs::path& folder, const fs::path& scratch, int threads,
                                              const char* order, double milliseconds, const std::string& shard,
                                              std::size_t hold) {
        for (const char* name : {"begun", "go", "outcome"}) fs::remove(scratch / name);
        return {"RFBENCH_CHILD_FOLDER=" + folder.string(),
                "RFBENCH_CHILD_SCRATCH=" + scratch.string(),
                "RFBENCH_CHILD_THREADS=" + std::to_string(threads),
                std::string("RFBENCH_CHILD_ORDER=") + order,
                "RFBENCH_CHILD_MILLISECONDS=" + std::to_string(milliseconds),
                "RFBENCH_CHILD_SHARD=" + shard,
                "RFBENCH_CHILD_HOLD=" + std::to_string(hold)};
    }
};

}  // namespace sweep
