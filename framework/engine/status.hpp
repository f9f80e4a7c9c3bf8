#pragma once
// What of a plan is there, what failed and why, what is missing or no longer fits.
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "rfbench/engine/plan.hpp"

namespace rfbench::engine {

enum class State {
    done,     ///< reported done for this configuration, and the file has the bytes that were reported
    failed,   ///< the last attempt for this configuration threw
    damaged,  ///< reported done, but the file is gone or its bytes differ
    stale,    ///< computed for another configuration, other data or another schema
    missing   ///< never finished
};

const char* name(State);

struct CellStatus {
    std::string key;
    State state = State::missing;
    std::string reason;  ///< of a failure or a damage
    std::string sha256;  ///< of the file of a done cell
    double seconds = 0;  ///< that the last finished attempt took
};

struct Status {
    std::string experiment, config;
    std::vector<CellStatus> cells;  ///< in the plan's order
    bool collected = false;         ///< the collected file is there, intact, and made from just these cells

    std::size_t count(State) const;
};

/// Reads the journal and the bytes of the files; writes nothing. A folder that does not exist has every cell missing.
Status status(const Plan&, const std::filesystem::path& results);

/// What the collected file of a plan is made from, hashed: the plan itself and the bytes of its cells.
std::string collection_identity(const Plan&, const Status&);

/// Whether the collected file is there, intact, and made from the cells as this status has them.
bool collected_is_current(const Plan&, const std::filesystem::path& results, const Status&);

/// One line of counts, then one line for each cell that failed, is damaged or stale, with its reason, at most `most`.
std::string table(const Status&, std::size_t most = 20);

/// One JSON object on one line: experiment, config, cells, done, failed, damaged, stale, missing, collected, seconds.
std::string counts(const Status&);

}  // namespace rfbench::engine
