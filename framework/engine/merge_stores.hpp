#pragma once
// Stores of cells that several machines filled, made one.
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "rfbench/store/cell_store.hpp"

namespace rfbench::engine {

struct MergeSummary {
    std::size_t taken = 0;             ///< cells that were not here
    std::size_t there = 0;             ///< cells that were
    std::vector<std::string> damaged;  ///< what cannot be trusted and was left where it is, a sentence each
};

/// Takes over every cell that `to` does not have, once its bytes are found to be those that were written and its
/// identity to be that of its recipe. Of cells with times of one machine the one that is here stays. Throws FileError,
/// before anything is taken, where both have other values under one identity, naming cell and packs; doing it again
/// changes nothing.
MergeSummary merge_stores(const store::CellStore& from, store::CellStore& to);

}  // namespace rfbench::engine
