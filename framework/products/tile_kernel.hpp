#pragma once
// Products of packed tiles, written once for tile registers and for their emulation.
#include "rfbench/matrix.hpp"
#include "rfbench/products/emulated_tiles.hpp"

namespace rfbench::products {

/// Tiles of one factor: of each line of tiles, along K, its parts one after the other, and of each part the tiles of K.
struct PackedTiles {
    const std::uint16_t* data;
    Index lines;  ///< lines of tiles: 16 rows of A, or 16 columns of B, each
    Index depth;  ///< tiles of K, 32 entries each
    int parts;    ///< of every entry
    /// Tile t of K of one part of a line.
    const std::uint16_t* tile(Index line, int part, Index t) const {
        return data + ((line * parts + part) * depth + t) * tile_halves;
    }
};

/// Lines of tiles of either factor that a block of registers takes: four sums, two tiles of A, two of B.
inline constexpr int block_lines = 2;

/// Sums of a block, tile after tile, two of a line of A beside each other.
struct BlockSums {
    alignas(64) float tile[block_lines][block_lines][tile_rows * tile_columns];
};

/// `rows` x `columns` tiles of A B, from lines i of A and j of B on.
template <int rows, int columns, class Tiles>
[[gnu::always_inline]] inline void multiply_block(Tiles& tiles, const PackedTiles& a, Index i, const PackedTiles& b,
                                                  Index j, BlockSums& out) {
    tiles.template zero<0>();
    tiles.template zero<1>();
    tiles.template zero<2>();
    tiles.template zero<3>();
    // Products of parts p and q, p + q < parts, the smallest first: their roundings are small beside those of the
    // largest, which come last.
    for (int both = a.parts - 1; both >= 0; --both)
        for (int p = 0; p <= both; ++p)
            for (Index t = 0; t < a.depth; ++t) {
                tiles.template load<4>(a.tile(i, p, t));
                tiles.template load<6>(b.tile(j, both - p, t));
                tiles.template multiply<0, 4, 6>();
                if constexpr (columns == 2) {
                    tiles.template load<7>(b.tile(j + 1, both - p, t));
                    tiles.template multiply<1, 4, 7>();
                }
                if constexpr (rows == 2) {
                    tiles.template load<5>(a.tile(i + 1, p, t));
                    tiles.template multiply<2, 5, 6>();
                    if constexpr (columns == 2) tiles.template multiply<3, 5, 7>();
                }
            }
    tiles.template store<0>(out.tile[0][0]);
    if constexpr (columns == 2) tiles.template store<1>(out.tile[0][1]);
    if constexpr (rows == 2) tiles.template store<2>(out.tile[1][0]);
    if constexpr (rows == 2 && columns == 2) tiles.template store<3>(out.tile[1][1]);
}

/// The same of as many tiles as are left, up to two lines of each.
template <class Tiles>
[[gnu::always_inline]] inline void multiply_block(Tiles& tiles, const PackedTiles& a, Index i, const PackedTiles& b,
                                                  Index j, BlockSums& out) {
    const bool two_rows = i + 1 < a.lines, two_columns = j + 1 < b.lines;
    if (two_rows && two_columns) return multiply_block<2, 2>(tiles, a, i, b, j, out);
    if (two_rows) return multiply_block<2, 1>(tiles, a, i, b, j, out);
    if (two_columns) return multiply_block<1, 2>(tiles, a, i, b, j, out);
    multiply_block<1, 1>(tiles, a, i, b, j, out);
}

/// Output of sums of tiles: n x N entries, to which those of `start` are added.
struct TileOutput {
    float* out;
    Index out_stride;
    const float* start;
    Index start_stride;
    Index rows, columns;

    /// Writes a block whose first entry is (first_row, first_column).
    void write(const BlockSums& sums, Index first_row, Index first_column) const;
};

/// out = start + A B, block after block.
template <class Tiles>
void multiply_tiles(Tiles& tiles, const PackedTiles& a, const PackedTiles& b, const TileOutput& to) {
    BlockSums sums;
    for (Index i = 0; i < a.lines; i += block_lines)
        for (Index j = 0; j < b.lines; j += block_lines) {
            multiply_block(tiles, a, i, b, j, sums);
            to.write(sums, i * tile_rows, j * tile_columns);
        }
}

}  // namespace rfbench::products
