#pragma once
// A part of a plan's cells, for one of several processes that compute a sweep side by side.
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rfbench/engine/recipe.hpp"

namespace rfbench::engine {

/// Number `index` of `count`, from 1.
struct Shard {
    std::size_t index = 1, count = 1;

    /// "2-of-8", part of file names.
    std::string name() const;
};

/// Reads "2/8". Throws InputError, saying what is allowed, for anything else.
Shard parse_shard(std::string_view text);

/// A cell as shards see it.
struct Load {
    store::Digest identity;
    double seconds;  ///< it takes about that long; 0 where nobody knows
};

/// The cells of a shard, as indices: all whose identity lies in its part of the identities in order. Parts take about
/// equal times; a cell that nobody knows the time of counts as the mean of those known.
///
/// All shards must have one mind about where parts end, whatever has been learned of times since the first began. So
/// the first to come writes the ends to `folder`, and all others, later runs too, read them; a sweep of other cells has
/// other ends. Without a shared folder all must know the same times, or none: whatever is computed twice is the same,
/// and whatever is left out is computed by the run that collects. Throws Error when that file cannot be written.
std::vector<std::size_t> cells_of(const Shard&, const std::vector<Load>&, const std::filesystem::path& folder);

}  // namespace rfbench::engine
