#pragma once
// Tiles of rows: the one place where feature maps meet threads. Tiles are fixed, so results do not depend on how many
// threads share them.
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "rfbench/features/feature_map.hpp"
#include "rfbench/parallel/loop.hpp"

namespace rfbench::features {

/// Rows a tile, a multiple of those that vector registers take at once; their products stay in the second-level cache
/// for M up to about a thousand.
inline constexpr Index tile_rows = 120;

/// Calls body(first, n) for every tile of n rows from `first`.
template <class Body>
void for_row_tiles(Index rows, Body body) {
    const Index tiles = (rows + tile_rows - 1) / tile_rows;
    parallel::Loop(tiles, parallel::Share::evenly).run([&](Index tile) {
        body(tile * tile_rows, std::min(tile_rows, rows - tile * tile_rows));
    });
}

/// Calls for rows first .. first + n - 1, into the first-level cache. They may lie after the last row: nothing is read.
template <class Scalar>
void prefetch(const RowsView<Scalar>& rows, Index first, Index n) {
    constexpr Index line = 64;
    const Index stride = rows.rowStride() * Index{sizeof(Scalar)}, bytes = rows.cols() * Index{sizeof(Scalar)};
    const auto begin = reinterpret_cast<std::intptr_t>(rows.data());
    for (Index i = first; i < first + n; ++i)
        for (Index byte = 0; byte < bytes; byte += line)
            __builtin_prefetch(reinterpret_cast<const void*>(begin + i * stride + byte));
}

/// Sizes `out` for these rows and R columns. Throws std::invalid_argument when the rows are not d wide.
template <class Scalar>
void prepare(const RowsView<Scalar>& rows, Index dimension, Index columns, FeatureBlock<Scalar>& out) {
    if (rows.cols() != dimension)
        throw std::invalid_argument("features: the rows have " + std::to_string(rows.cols()) +
                                    " coordinates, the mechanism was drawn for " + std::to_string(dimension));
    out.values.resize(rows.rows(), columns);
    out.log_scale.resize(rows.rows());
    out.vanished = 0;
}

}  // namespace rfbench::features
