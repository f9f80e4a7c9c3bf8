#pragma once
// Runs a plan: computes the cells that are not there yet, in parallel, stores each as it is finished, and collects all
// of them into one labelled file. Whatever is interrupted, and whenever, the next run goes on from what was reported
// done, and the bytes of the result files are the same in the end.
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "rfbench/engine/options.hpp"

namespace rfbench::engine {

struct Failure {
    std::string key, reason;
};

struct Summary {
    std::size_t cells = 0;             ///< in the plan
    std::size_t reused = 0;            ///< found done
    std::size_t computed = 0;          ///< computed and stored by this run
    std::vector<Failure> failed;       ///< in the plan's order
    std::vector<std::string> unequal;  ///< keys of cells whose values are other than those stored under their identity
    bool interrupted = false;          ///< a stop was asked for: cells may be missing, and nothing was collected
    bool stop_asked = false;           ///< a stop was asked for, at the end perhaps, when all was collected
    std::filesystem::path collected;   ///< the collected file; empty when there is none of this plan
    double seconds = 0;
};

/// Computes what is missing and collects. `compute` is called from several threads at once, never twice for one cell,
/// and sees one OpenMP thread. A cell that throws, or whose dataset is not consistent, is journaled with its reason and
/// does not disturb the others; the next run tries it again. Cells in flight when a stop is asked for are finished,
/// but for those that offer checkpoints.
/// Throws std::invalid_argument for a plan that is not consistent or cells that do not fit each other,
/// FileError when another run holds the folder, and the store's error, which names file and reason, when a
/// result cannot be written: then no further cell is begun and all that was reported done stays done.
///
/// A cell that is stored under its identity is not computed, whichever configuration it was computed for. Values are
/// reported done when they are on the disk. What `show` throws is rethrown: then the collected file, figures and tables
/// stay what they were, and so they do where a stop is asked for before all are whole.
Summary run(const Plan&, const Compute&, const Options&);
/// Runs cells that keep no checkpoints.
Summary run(const Plan&, const std::function<store::Dataset(const Cell&)>& compute, const Options&);

}  // namespace rfbench::engine
