#pragma once
// Runs a plan: computes the cells that are not there yet, in parallel, stores each as it is finished, and collects all
// of them into one labelled file. Whatever is interrupted, and whenever, the next run goes on from what was reported
// done, and the bytes of the result files are the same in the end.
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "rfbench/engine/checkpoint.hpp"
#include "rfbench/engine/plan.hpp"
#include "rfbench/engine/progress.hpp"
#include "rfbench/engine/shard.hpp"
#include "rfbench/store/dataset.hpp"

namespace rfbench::engine {

/// The order in which cells are begun. Results do not depend on it.
enum class Order { forward, reverse, shuffled };

struct Options {
    std::filesystem::path folder = "results";  ///< root of all results
    int threads = 0;                           ///< cells computed at a time; 0: as many as OpenMP offers
    bool fresh = false;                        ///< compute every cell, whatever is there
    bool keep_stale = false;                   ///< collect stale cells as they are, and say so in the file
    std::optional<Shard> shard;                ///< compute the cells of this part alone, and collect nothing
    Order order = Order::forward;
    std::uint64_t shuffle_seed = 0;
    ProgressMode progress = ProgressMode::automatic;
    std::ostream* out = nullptr;              ///< for progress and notes; none: std::cerr
    bool signals = true;                      ///< SIGINT, SIGTERM, SIGHUP stop the run; a second one ends the program
    const std::atomic<bool>* stop = nullptr;  ///< when it becomes true no further cell is begun
    double commit_interval = 0.1;             ///< seconds; cells that follow each other faster are stored together
    double checkpoint_interval = 10;          ///< seconds between checkpoints of a cell
    double cell_seconds = 0;                  ///< that a cell takes, about, for progress; 0: not known
    /// Makes figures and tables of a collected file, in the folders of these names of another, from where they and the
    /// file take their places together. While it works the run's lock is held.
    std::function<void(const std::filesystem::path& collected, const std::filesystem::path& folder)> show;
};

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
    std::filesystem::path collected;   ///< the collected file; empty when there is none of this plan
    double seconds = 0;
};

/// Computes a cell. One that takes long goes on from its checkpoint, and offers its state.
using Compute = std::function<store::Dataset(const Cell&, Checkpoint&)>;

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
