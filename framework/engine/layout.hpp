#pragma once
// Files of a plan, under the root folder of all results:
//   cells/<name>.pack                 the cells of all configurations, by the digest of what their values depend on
//   cells/checkpoints/<identity>           what a cell that takes long had come to when it was interrupted
//   <place>.h5                        the collected dataset; the place is [<profile>/]<experiment>/<config>
//   <place>/cells                     the identities of the cells that it was collected from, a line each
//   <place>/journal                   what failed and why, and when the dataset was collected
//   <place>/SHA256SUMS                of the collected file, figures and tables; `sha256sum -c` accepts it
//   <place>/lock                      held by the run at work
//   reference/<experiment>/<config>.h5  results that come with the project: collected files alone, with no cells
//   <place>/next-<process>/           files that will take their places together (store/staged_result.hpp)
#include <filesystem>
#include <optional>

#include "rfbench/engine/plan.hpp"
#include "rfbench/engine/shard.hpp"

namespace rfbench::engine {

std::filesystem::path checkpoints_of(const std::filesystem::path& results);

struct Layout {
    std::filesystem::path cells, checkpoints, collected, folder, list;
    std::filesystem::path journal, lock;  ///< of a shard its own: shards run side by side

    Layout(const std::filesystem::path& results, const Plan&, const std::optional<Shard>& = {});
};

/// Folder of the results that come with the project.
inline constexpr const char* reference_folder = "reference";

/// The name of `list`.
inline constexpr const char* cell_list = "cells";

/// Journals of all runs in a folder, those of shards too.
std::vector<std::filesystem::path> journals(const std::filesystem::path& folder);
/// Held by the run that writes to a journal.
std::filesystem::path lock_of(const std::filesystem::path& journal);

}  // namespace rfbench::engine
