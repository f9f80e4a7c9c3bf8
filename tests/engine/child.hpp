#pragma once
// A run of the small sweep in a process of its own, to be interrupted and killed.
#include <chrono>
#include <thread>

#include "support/child_process.hpp"
#include "sweep.hpp"

namespace sweep {

inline void sleep_seconds(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

struct Child : rfbench::tests::ChildProcess {
    fs::path ready, outcome;

    /// Starts a run of the sweep in `folder`, or of a shard ("2/4"); every cell takes `milliseconds`.
    Child(const fs::path& folder, const fs::path& scratch, int threads, const char* order, double milliseconds,
          const std::string& shard = "")
        : rfbench::tests::ChildProcess("[.child]", variables(folder, scratch, threads, order, milliseconds, shard),
                                       (scratch / "log").string()),
          ready(scratch / "ready"),
          outcome(scratch / "outcome") {}

    /// Until the run has begun its first cell (or the process has ended).
    void wait_ready() const {
        while (!fs::exists(ready) && !ended()) sleep_seconds(0.0005);
    }

private:
    /// Environment of the child. Files that an earlier child has left are removed first.
    static std::vector<std::string> variables(const fs::path& folder, const fs::path& scratch, int threads,
                                              const char* order, double milliseconds, const std::string& shard) {
        fs::remove(scratch / "ready");
        fs::remove(scratch / "outcome");
        return {"RFBENCH_CHILD_FOLDER=" + folder.string(),
                "RFBENCH_CHILD_SCRATCH=" + scratch.string(),
                "RFBENCH_CHILD_THREADS=" + std::to_string(threads),
                std::string("RFBENCH_CHILD_ORDER=") + order,
                "RFBENCH_CHILD_MILLISECONDS=" + std::to_string(milliseconds),
                "RFBENCH_CHILD_SHARD=" + shard};
    }
};

}  // namespace sweep
