#pragma once
// Cells that no result needs, removed.
#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace rfbench::engine {

struct Pruning {
    std::size_t kept = 0, removed = 0;  ///< cells
    std::uintmax_t bytes = 0;           ///< of the cells removed
    std::size_t packs_at_work = 0;      ///< left as they are: a run writes to them
    bool run_at_work = false;           ///< every cell stays: a run may go on from cells that no list names yet
    std::size_t checkpoints = 0;        ///< of cells that were interrupted; left while any run is at work
};

/// Cells and packs that prune() would remove.
Pruning unneeded(const std::filesystem::path& results);

/// Writes one pack of the cells that collected results name (their lists `cells`), of any profile, and removes all
/// packs but those that are being written, and all checkpoints. While a run is at work, all cells and checkpoints stay.
/// A kill between the two leaves cells twice, which does no harm. Throws Error if the list of a collected result is
/// missing or is not as it was written (needed_cells.hpp), and if a file cannot be written or removed; nothing that is
/// needed is lost then.
Pruning prune(const std::filesystem::path& results);

}  // namespace rfbench::engine
