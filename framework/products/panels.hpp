#pragma once
#include <vector>

#include "rfbench/matrix.hpp"

namespace rfbench::products {

/// A matrix read through any strides: entry (i, j) is data[i * row_stride + j * column_stride].
template <class Scalar>
struct Strided {
    const Scalar* data;   ///< entry (0, 0), which must outlive the view
    Index rows;           ///< of the matrix
    Index columns;        ///< of the matrix
    Index row_stride;     ///< scalars from a row to the next
    Index column_stride;  ///< scalars from a column to the next

    /// The same entries with rows and columns exchanged.
    Strided transposed() const { return {data, columns, rows, column_stride, row_stride}; }
};

/// A view of rows, without a copy.
template <class Matrix>
auto strided(const Matrix& matrix) {
    return Strided<typename Matrix::Scalar>{matrix.data(), matrix.rows(), matrix.cols(), matrix.rowStride(),
                                            matrix.colStride()};
}

/// Rows of `out` that share one reading of B: callers that go on to work on a product take so many at a time.
inline constexpr Index rows_at_once = 6;

/// Entries that a product may leave out, by the diagonal of those at (i, i + diagonal).
struct Triangle {
    /// none: nothing. lower_factor: A is zero after the diagonal. upper_factor: A is zero before it. lower_product:
    /// entries of out after the diagonal are not asked for; some are written all the same.
    enum Part { none, lower_factor, upper_factor, lower_product };

    Part part = none;    ///< left out
    Index diagonal = 0;  ///< of A, or of out; negative below the main one

    /// A part by itself is one with the main diagonal.
    Triangle(Part which, Index at = 0) : part(which), diagonal(at) {}
};

/// B, K x N, kept in the order in which vector registers read it: a product with it is bound by the multiply-add units,
/// and nothing is zeroed or copied first.
template <class Scalar>
class Panels {
public:
    Panels() = default;
    /// Packs B, K x N.
    explicit Panels(const Strided<Scalar>& b) { pack(b); }

    /// Takes the entries of B; memory of an earlier B is used again.
    void pack(const Strided<Scalar>& b);

    Index rows() const { return rows_; }        ///< K
    Index columns() const { return columns_; }  ///< N
    /// As many columns as N of them take in memory: those of whole panels.
    static Index padded(Index columns);

    /// out = start + A B, n x N. Rows of out and start begin that many scalars apart; a stride of 0 is the same row for
    /// all, and start may be out itself. Each entry is summed over K in its order, whatever n is.
    void multiply(const Strided<Scalar>& a, const Scalar* start, Index start_stride, Scalar* out, Index out_stride,
                  Triangle triangle = Triangle::none) const;
    /// out = start + A C, A n x m. Row k of C is row rows[k] of B, k < m. `start` is one row, added to each row of out.
    template <int n>
    void add_rows(const Strided<Scalar>& a, const Index* rows, const Scalar* start, Scalar* out,
                  Index out_stride) const;
    /// out = A B.
    void multiply(const Strided<Scalar>& a, Scalar* out, Index out_stride, Triangle triangle = Triangle::none) const;

private:
    template <int n>
    void rows_of_blocks(const Strided<Scalar>& a, const Index* rows, const Scalar* start, Index start_stride,
                        Scalar* out, Index out_stride, Index columns) const;

    Index rows_ = 0, columns_ = 0;
    std::vector<Scalar, Eigen::aligned_allocator<Scalar>> panels_;  // registers are loaded from it whole
    std::vector<Scalar> zeros_;
    std::vector<Index> order_;  // 0 .. K - 1
};

extern template class Panels<float>;
extern template class Panels<double>;

}  // namespace rfbench::products
