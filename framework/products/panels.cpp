#include "rfbench/products/panels.hpp"

#if defined(__FMA__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace rfbench::products {
namespace {

// A block of out is rows_at_once rows by column_registers registers. AVX-512 has 32 registers: 6 x 4 hold sums, 4 a row
// of the panel and one a factor of A. The others have 16: 6 x 2 sums, 2 of the panel and a factor.
#if defined(__AVX512F__)
constexpr int register_bytes = 64, column_registers = 4;
#elif defined(__AVX__)
constexpr int register_bytes = 32, column_registers = 2;
#else
constexpr int register_bytes = 16, column_registers = 2;
#endif

template <class Scalar>
struct Register {
    typedef Scalar type __attribute__((vector_size(register_bytes)));
    // Loaded and stored at any address, aligned or not.
    typedef Scalar anywhere __attribute__((vector_size(register_bytes), aligned(alignof(Scalar)), may_alias));
    static constexpr int size = register_bytes / sizeof(Scalar);

    static type load(const Scalar* from) { return *reinterpret_cast<const anywhere*>(from); }
    static void store(type value, Scalar* to) { *reinterpret_cast<anywhere*>(to) = value; }

    /// sum + factor * entries, rounded once where the processor can. It is not left to the compiler, which may fuse in
    /// a loop over six rows and not in one over a single row: a row's bits would depend on the rows beside it.
    static type add_product(type sum, Scalar factor, type entries) {
#if defined(__AVX512F__)
        if constexpr (std::is_same_v<Scalar, double>)
            return _mm512_fmadd_pd(_mm512_set1_pd(factor), entries, sum);
        else
            return _mm512_fmadd_ps(_mm512_set1_ps(factor), entries, sum);
#elif defined(__FMA__)
        if constexpr (std::is_same_v<Scalar, double>)
            return _mm256_fmadd_pd(_mm256_set1_pd(factor), entries, sum);
        else
            return _mm256_fmadd_ps(_mm256_set1_ps(factor), entries, sum);
#else
        return sum + factor * entries;
#endif
    }
};

/// Columns of a panel: as many as a block of registers holds.
template <class Scalar>
constexpr Index width = column_registers* Register<Scalar>::size;

/// Calls body for 0 .. n - 1 as constants, so that what an array holds at them can stay in registers.
template <int n, class Body>
[[gnu::always_inline]] inline void unrolled(Body body) {
    [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
        (body(std::integral_constant<int, i>()), ...);
    }
    (std::make_integer_sequence<int, n>());
}

/// The first halves of two registers, entry by entry in turn, or their second halves.
template <class Lane, std::size_t... i>
Lane interleaved(Lane a, Lane b, std::size_t from, std::index_sequence<i...>) {
    constexpr std::size_t size = sizeof...(i);
    return from == 0 ? __builtin_shufflevector(a, b, (i / 2 + i % 2 * size)...)
                     : __builtin_shufflevector(a, b, (size / 2 + i / 2 + i % 2 * size)...);
}

/// Transposes a square of registers: each round turns the bits of an entry's number, first those of its row, by one.
template <class Scalar>
void transpose(typename Register<Scalar>::type* rows) {
    constexpr std::size_t size = Register<Scalar>::size;
    using Lane = typename Register<Scalar>::type;
    for (std::size_t round = 1; round < size; round *= 2) {
        Lane next[size];
        for (std::size_t i = 0; i < size / 2; ++i)
            for (std::size_t half = 0; half < 2; ++half)
                next[2 * i + half] = interleaved(rows[i], rows[i + size / 2], half, std::make_index_sequence<size>());
        std::copy_n(next, size, rows);
    }
}

/// Packs columns of B that are lines in memory, `columns` of them from `entries`, into a panel: squares of registers,
/// as far as they go. Returns how many rows it packed.
template <class Scalar>
Index pack_lines(const Scalar* entries, Index column_stride, Index rows, Index columns, Scalar* panel) {
    constexpr Index size = Register<Scalar>::size;
    using Lane = typename Register<Scalar>::type;
    const Index whole = rows / size * size;
    for (Index k = 0; k < whole; k += size)
        for (Index first = 0; first < width<Scalar>; first += size) {
            // Columns that the panel lacks stay zero.
            Lane square[size] = {};
            for (Index j = first; j < std::min(columns, first + size); ++j)
                square[j - first] = Register<Scalar>::load(entries + j * column_stride + k);
            transpose<Scalar>(square);
            for (Index i = 0; i < size; ++i)
                Register<Scalar>::store(square[i], panel + (k + i) * width<Scalar> + first);
        }
    return whole;
}

/// n rows of `registers` registers of start + A B, all of them held until they are done; column k of A meets row
/// rows[k] of B.
template <int n, int registers, class Scalar>
void block(const Strided<Scalar>& a, const Index* rows, const Scalar* panel, const Scalar* start, Index start_stride,
           Scalar* out, Index out_stride) {
    using Lane = typename Register<Scalar>::type;
    constexpr int size = Register<Scalar>::size;
    // The sums begin at `start` and stay in registers until all of K is added.
    Lane sums[n][registers];
    unrolled<n>([&](auto r) {
        unrolled<registers>([&](auto v) { sums[r][v] = Register<Scalar>::load(start + r * start_stride + v * size); });
    });
    for (Index k = 0; k < a.columns; ++k) {
        // One row of the panel serves n rows of A; sums grow in the order of K, so that their bits do not depend on n.
        Lane entries[registers];
        unrolled<registers>(
            [&](auto v) { entries[v] = Register<Scalar>::load(panel + rows[k] * width<Scalar> + v * size); });
        unrolled<n>([&](auto r) {
            const Scalar factor = a.data[r * a.row_stride + k * a.column_stride];
            unrolled<registers>(
                [&](auto v) { sums[r][v] = Register<Scalar>::add_product(sums[r][v], factor, entries[v]); });
        });
    }
    unrolled<n>([&](auto r) {
        unrolled<registers>([&](auto v) { Register<Scalar>::store(sums[r][v], out + r * out_stride + v * size); });
    });
}

/// The same for the first `columns` columns of a panel.
template <int n, class Scalar>
void partial_block(const Strided<Scalar>& a, const Index* rows, const Scalar* panel, Index columns, const Scalar* start,
                   Index start_stride, Scalar* out, Index out_stride) {
    constexpr Index size = Register<Scalar>::size;
    // The number of registers must be a constant for the sums to stay in them: the block of that number is chosen here.
    const auto choose = [&](const Scalar* from, Index from_stride, Scalar* to, Index to_stride) {
        const Index registers = (columns + size - 1) / size;
        unrolled<column_registers>([&](auto i) {
            if (registers == i + 1) block<n, i + 1>(a, rows, panel, from, from_stride, to, to_stride);
        });
    };
    if (columns % size == 0) return choose(start, start_stride, out, out_stride);
    // `out` ends within a register: whole ones are summed in a copy, of which `columns` entries a row are written.
    std::array<Scalar, n * width<Scalar>> whole{};
    for (int r = 0; r < n; ++r) std::copy_n(start + r * start_stride, columns, &whole[r * width<Scalar>]);
    choose(whole.data(), width<Scalar>, whole.data(), width<Scalar>);
    for (int r = 0; r < n; ++r) std::copy_n(&whole[r * width<Scalar>], columns, out + r * out_stride);
}

}  // namespace

template <class Scalar>
Index Panels<Scalar>::padded(Index columns) {
    return (columns + width<Scalar> - 1) / width<Scalar> * width<Scalar>;
}

template <class Scalar>
void Panels<Scalar>::pack(const Strided<Scalar>& b) {
    rows_ = b.rows;
    columns_ = b.columns;
    // Panel after panel, each of K rows of `width` entries; zeros fill up the last.
    panels_.resize(static_cast<std::size_t>(padded(columns_) * rows_));
    zeros_.assign(static_cast<std::size_t>(columns_), Scalar(0));
    order_.resize(static_cast<std::size_t>(rows_));
    std::iota(order_.begin(), order_.end(), Index{0});
    for (Index first = 0; first < columns_; first += width<Scalar>) {
        const Index own = std::min(width<Scalar>, columns_ - first);
        Scalar* const panel = panels_.data() + first * rows_;
        // Columns of a transposed matrix lie in lines: they are transposed in squares of registers. The rest of them,
        // and all other matrices, are copied entry by entry.
        const bool lines = b.row_stride == 1 && b.column_stride != 1;
        const Index done = lines ? pack_lines(b.data + first * b.column_stride, b.column_stride, rows_, own, panel) : 0;
        for (Index k = done; k < rows_; ++k) {
            const Scalar* const entries = b.data + k * b.row_stride + first * b.column_stride;
            Scalar* const packed = panel + k * width<Scalar>;
            if (b.column_stride == 1)
                std::copy_n(entries, own, packed);
            else
                for (Index j = 0; j < own; ++j) packed[j] = entries[j * b.column_stride];
            std::fill(packed + own, packed + width<Scalar>, Scalar(0));
        }
    }
}

template <class Scalar>
template <int n>
void Panels<Scalar>::rows_of_blocks(const Strided<Scalar>& a, const Index* rows, const Scalar* start,
                                    Index start_stride, Scalar* out, Index out_stride, Index columns) const {
    // The rows of A stay in the first-level cache while the panels pass.
    for (Index first = 0; first < columns; first += width<Scalar>) {
        const Scalar* const panel = panels_.data() + first * rows_;
        if (columns - first >= width<Scalar>)
            block<n, column_registers>(a, rows, panel, start + first, start_stride, out + first, out_stride);
        else
            partial_block<n>(a, rows, panel, columns - first, start + first, start_stride, out + first, out_stride);
    }
}

template <class Scalar>
void Panels<Scalar>::multiply(const Strided<Scalar>& a, const Scalar* start, Index start_stride, Scalar* out,
                              Index out_stride, Triangle triangle) const {
    if (a.columns != rows_)
        throw std::invalid_argument("product: " + std::to_string(a.columns) + " columns times " +
                                    std::to_string(rows_) + " rows");
    for (Index first = 0; first < a.rows; first += rows_at_once) {
        const Index n = std::min(rows_at_once, a.rows - first);
        // A triangle lets us leave out, as far as it is the same for all rows of the block: columns of A before its
        // diagonal, columns after it, or entries of out after it.
        const auto crossing = [&](Index row, Index end) { return std::clamp<Index>(row + triangle.diagonal, 0, end); };
        const Index from = triangle.part == Triangle::upper_factor ? crossing(first, a.columns) : 0;
        const Index end = triangle.part == Triangle::lower_factor ? crossing(first + n, a.columns) : a.columns;
        const Index columns = triangle.part == Triangle::lower_product ? crossing(first + n, columns_) : columns_;
        const Strided<Scalar> own{a.data + first * a.row_stride + from * a.column_stride, n, end - from, a.row_stride,
                                  a.column_stride};
        unrolled<rows_at_once>([&](auto i) {
            if (n == i + 1)
                rows_of_blocks<i + 1>(own, order_.data() + from, start + first * start_stride, start_stride,
                                      out + first * out_stride, out_stride, columns);
        });
    }
}

template <class Scalar>
template <int n>
void Panels<Scalar>::add_rows(const Strided<Scalar>& a, const Index* rows, const Scalar* start, Scalar* out,
                              Index out_stride) const {
    rows_of_blocks<n>(a, rows, start, 0, out, out_stride, columns_);
}

template <class Scalar>
void Panels<Scalar>::multiply(const Strided<Scalar>& a, Scalar* out, Index out_stride, Triangle triangle) const {
    multiply(a, zeros_.data(), 0, out, out_stride, triangle);
}

template class Panels<float>;
template class Panels<double>;
template void Panels<float>::add_rows<rows_at_once - 1>(const Strided<float>&, const Index*, const float*, float*,
                                                        Index) const;
template void Panels<double>::add_rows<rows_at_once - 1>(const Strided<double>&, const Index*, const double*, double*,
                                                         Index) const;

}  // namespace rfbench::products
