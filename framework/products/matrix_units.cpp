#include "rfbench/products/matrix_units.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "rfbench/products/bfloat16.hpp"
#include "rfbench/products/hardware_tiles.hpp"

namespace rfbench::products {
namespace {

/// Entries of K in a tile.
constexpr Index tile_depth = 2 * tile_pairs;
static_assert(unit_rows_at_once == block_lines * tile_rows, "MatrixFactor::multiply() packs one block of rows");

Index tiles_of(Index entries, Index size) { return (entries + size - 1) / size; }

/// Entries of K of a tile's line of A or B that the tile holds, in a row: zeros beyond the matrix.
struct Line {
    float entries[tile_depth];

    /// n of them, `stride` apart, and zeros.
    void read(const float* from, Index stride, Index n) {
        std::fill(entries + n, entries + tile_depth, 0.0F);
        if (stride == 1)
            std::copy_n(from, n, entries);
        else
            for (Index k = 0; k < n; ++k) entries[k] = from[k * stride];
    }
    /// Writes them, rounded to bfloat16, and leaves what is left.
    void take_part(std::uint16_t* to) {
        for (Index k = 0; k < tile_depth; ++k) {
            const float part = rounded_to_bfloat16(entries[k]);
            to[k] = upper_half(part);
            entries[k] -= part;
        }
    }
};

/// Rows first .. of A in tiles of one line: row r of a tile is 32 entries of row first + r.
void pack_rows(const Strided<float>& a, Index first, int parts, std::uint16_t* to) {
    const Index depth = tiles_of(a.columns, tile_depth), n = std::min<Index>(tile_rows, a.rows - first);
    Line line;
    for (Index r = 0; r < tile_rows; ++r)
        for (Index t = 0; t < depth; ++t) {
            std::uint16_t* const row = to + t * tile_halves + r * tile_depth;
            // Rows that A lacks are zero.
            const Index at = first + std::min(r, n - 1), own = std::min(tile_depth, a.columns - t * tile_depth);
            line.read(a.data + at * a.row_stride + t * tile_depth * a.column_stride, a.column_stride, r < n ? own : 0);
            for (int p = 0; p < parts; ++p) line.take_part(row + p * depth * tile_halves);
        }
}

/// Columns first .. of B: row k of a tile has entries 2k and 2k + 1 of each column beside each other.
void pack_columns(const Strided<float>& b, Index first, int parts, std::uint16_t* to) {
    const Index depth = tiles_of(b.rows, tile_depth), n = std::min<Index>(tile_columns, b.columns - first);
    Line even, odd;
    std::uint16_t evens[tile_depth], odds[tile_depth];
    for (Index t = 0; t < depth; ++t)
        for (Index k = 0; k < tile_pairs; ++k) {
            const Index row = t * tile_depth + 2 * k;
            const auto read = [&](Line& line, Index own) {
                const Index at = std::min(own, b.rows - 1);
                line.read(b.data + at * b.row_stride + first * b.column_stride, b.column_stride, own < b.rows ? n : 0);
            };
            read(even, row);
            read(odd, row + 1);
            for (int p = 0; p < parts; ++p) {
                even.take_part(evens);
                odd.take_part(odds);
                std::uint16_t* const pairs = to + (p * depth + t) * tile_halves + k * 2 * tile_columns;
                for (Index j = 0; j < tile_columns; ++j) {
                    pairs[2 * j] = evens[j];
                    pairs[2 * j + 1] = odds[j];
                }
            }
        }
}

}  // namespace

void check(const Arithmetic& arithmetic) {
    if (arithmetic.parts < 1 || arithmetic.parts > 3)
        throw std::invalid_argument("products: " + std::to_string(arithmetic.parts) +
                                    " parts of bfloat16; there are 1, 2 or 3");
    if (arithmetic.units == Units::matrix && !has_matrix_units())
        throw std::invalid_argument(
            "products: this processor has no matrix units for bfloat16 (Intel AMX), or the system does not let "
            "programs use them");
}

void TileOutput::write(const BlockSums& sums, Index first_row, Index first_column) const {
    const Index end_row = std::min(rows, first_row + block_lines * tile_rows);
    const Index end_column = std::min(columns, first_column + block_lines * tile_columns);
    for (Index i = first_row; i < end_row; ++i)
        for (Index j = first_column; j < end_column; j += tile_columns) {
            const Index r = i - first_row, n = std::min<Index>(tile_columns, end_column - j);
            const float* const from =
                sums.tile[r / tile_rows][(j - first_column) / tile_columns] + r % tile_rows * tile_columns;
            const float* const added = start + i * start_stride + j;
            float* const to = out + i * out_stride + j;
            for (Index c = 0; c < n; ++c) to[c] = added[c] + from[c];
        }
}

void MatrixFactor::pack(const Strided<float>& b, const Arithmetic& arithmetic) {
    check(arithmetic);
    if (arithmetic.on_vectors()) throw std::invalid_argument("products: vectors are no matrix units");
    arithmetic_ = arithmetic;
    rows_ = b.rows;
    columns_ = b.columns;
    zeros_.assign(static_cast<std::size_t>(columns_), 0.0F);
    const Index lines = tiles_of(columns_, tile_columns);
    const Index line = arithmetic.parts * tiles_of(rows_, tile_depth) * tile_halves;
    tiles_.resize(static_cast<std::size_t>(lines * line));
    for (Index i = 0; i < lines; ++i) pack_columns(b, i * tile_columns, arithmetic.parts, tiles_.data() + i * line);
}

void MatrixFactor::multiply(const Strided<float>& a, const float* start, Index start_stride, float* out,
                            Index out_stride) const {
    if (a.columns != rows_)
        throw std::invalid_argument("product: " + std::to_string(a.columns) + " columns times " +
                                    std::to_string(rows_) + " rows");
    const int parts = arithmetic_.parts;
    const Index depth = tiles_of(rows_, tile_depth), line = parts * depth * tile_halves;
    const PackedTiles b{tiles_.data(), tiles_of(columns_, tile_columns), depth, parts};
    // A few rows at a time, whose tiles stay in the first-level cache while those of B pass.
    std::vector<std::uint16_t, Eigen::aligned_allocator<std::uint16_t>> packed(
        static_cast<std::size_t>(block_lines * line));
    for (Index first = 0; first < a.rows; first += unit_rows_at_once) {
        const Index n = std::min(unit_rows_at_once, a.rows - first), lines = tiles_of(n, tile_rows);
        for (Index i = 0; i < lines; ++i) pack_rows(a, first + i * tile_rows, parts, packed.data() + i * line);
        const PackedTiles rows{packed.data(), lines, depth, parts};
        const TileOutput to{
            out + first * out_stride, out_stride, start + first * start_stride, start_stride, n, columns_};
        if (arithmetic_.units == Units::matrix) {
            multiply_on_hardware(rows, b, to);
        } else {
            EmulatedTiles tiles;
            multiply_tiles(tiles, rows, b, to);
        }
    }
}

void MatrixFactor::multiply(const Strided<float>& a, float* out, Index out_stride) const {
    multiply(a, zeros_.data(), 0, out, out_stride);
}

}  // namespace rfbench::products
