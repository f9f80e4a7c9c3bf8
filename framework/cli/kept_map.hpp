#pragma once
// A drawn feature map in a file: what it was fitted to, what was drawn, and its method. So it can be applied to other
// points, with the bits that it would have had in the first place.
#include <filesystem>
#include <string>

#include "rfbench/features/mechanism.hpp"
#include "rfbench/features/pair_statistics.hpp"
#include "rfbench/store/dataset.hpp"

namespace rfbench::cli {

struct KeptMap {
    std::string entry;                ///< of a list of methods, as it was given: "{use: positive}"
    features::Statistics statistics;  ///< of the points that the mechanism was fitted to
    features::Draw draw;
};

/// Adds the statistics and the draw to a dataset, with axes of their own.
void add_map(store::Dataset&, const KeptMap&);

/// The map that a file written with add_map() holds. Throws FileError, with the file's name, where it holds none.
KeptMap kept_map(const store::Dataset&, const std::filesystem::path&);

}  // namespace rfbench::cli
