#pragma once
// Settings of a run, and the function that it is for.
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>

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

/// Computes a cell. One that takes long goes on from its checkpoint, and offers its state.
using Compute = std::function<store::Dataset(const Cell&, Checkpoint&)>;

}  // namespace rfbench::engine
