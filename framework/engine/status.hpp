#pragma once
// The state of every cell of a plan: done, failed (with the reason), damaged, stale or missing.
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "rfbench/engine/journal_summary.hpp"
#include "rfbench/engine/layout.hpp"
#include "rfbench/engine/plan.hpp"
#include "rfbench/engine/recipe.hpp"
#include "rfbench/store/cell_store.hpp"

namespace rfbench::engine {

enum class State {
    done,     ///< stored, by this configuration or another, under what its values depend on now
    failed,   ///< the last attempt threw
    damaged,  ///< stored, but its bytes are not those that were written; seen when they are read
    stale,    ///< what is stored there depends on other code, data or settings
    missing   ///< never finished
};

const char* name(State);

struct CellStatus {
    State state = State::missing;
    std::string reason;        ///< of a failure, a damage, or what a stale cell differs in
    store::Digest identity{};  ///< of what its values depend on now
    store::Digest content{};   ///< of what is stored of a done cell: its values, and which program computed them
    double seconds = 0;        ///< that what is stored there took
};

struct Status {
    std::vector<CellStatus> cells;  ///< in the plan's order
    bool collected = false;         ///< the collected file is there, intact, and made from just these cells
    std::string result_file;        ///< of one that is there and is not so: what is wrong with it, or other in it

    std::size_t count(State) const;
    double seconds() const;  ///< that the cells that are done took
};

/// Looks into the store of cells and the journals; writes nothing. A folder that does not exist has every cell missing.
Status status(const Plan&, const std::filesystem::path& results);

/// The same with what is opened already; whether it is collected is not looked at.
Status cell_statuses(const Plan&, const Recipes&, const store::CellStore&, const JournalSummary&);

/// SHA-256 of the collected file's inputs: the plan, and each cell's stored content, which names the program that
/// computed it. The program that collects does not matter. `kept`: stale cells are part of the file.
std::string collection_identity(const Plan&, const Status&, bool kept = false);

/// Whether the collected file is there, intact, and made from the cells as this status has them.
bool collected_is_current(const Plan&, const Layout&, const JournalSummary&, const Status&, bool kept = false);

/// One line of counts, then one line for each cell that failed, is damaged or stale, with its reason, at most `most`,
/// and one on a result file that is there and was collected otherwise.
std::string table(const Plan&, const Status&, std::size_t most = 20);

/// One JSON object on one line: experiment, config, profile, cells, done, failed, damaged, stale, missing, collected,
/// what a result file is that was collected otherwise, seconds, and why cells are stale, each reason once.
std::string counts(const Plan&, const Status&);

}  // namespace rfbench::engine
