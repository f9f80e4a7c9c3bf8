#pragma once
#include <vector>

#include "rfbench/products/panels.hpp"

namespace rfbench::products {

/// Rows that are multiplied by many matrices. Neighbours may agree in most entries, as sorted rows of encoded
/// categories do; then only their differences are multiplied. A group is rows_at_once rows: its first row is multiplied
/// and, for the others, their differences from it, if at most half of the columns differ. A period is rows_at_once
/// groups: if all of them share entries, their first rows are treated in the same way. The product of a row then also
/// has the rounding errors of the rows that it is computed from.
template <class Scalar>
class RowsSharingEntries {
public:
    /// Rows whose products are formed together.
    static constexpr Index period = rows_at_once * rows_at_once;

    RowsSharingEntries() = default;
    /// Takes the rows, n x d, and finds what they share.
    explicit RowsSharingEntries(Rows<Scalar>);

    Index size() const { return rows_.rows(); }                         ///< n
    const Rows<Scalar>& rows() const { return rows_; }                  ///< as they were given, n x d
    const Vector& squared_lengths() const { return squared_lengths_; }  ///< n

    /// Rows first .. first + n - 1 times B, plus `start`, a row. `first` must be a multiple of rows_at_once, and is
    /// best one of the period. Rows of out begin out_stride scalars apart.
    void multiply(const Panels<Scalar>& b, Index first, Index n, const Scalar* start, Scalar* out,
                  Index out_stride) const;

private:
    /// Differences of a group's rows from its first, in the columns where any row differs.
    struct Differences {
        bool few = false;
        std::size_t columns = 0, values = 0;  // where they begin
        Index size = 0;
    };

    Strided<Scalar> view(Index first, Index n, Index step) const;
    Differences differences(Index first, Index step);
    /// Whether a whole group is left from row `first` on, of rows that are alike.
    bool alike_group(Index first, Index left) const;
    void add(const Differences&, const Panels<Scalar>& b, Scalar* out, Index out_stride) const;

    Rows<Scalar> rows_;
    Vector squared_lengths_;
    std::vector<Differences> groups_, periods_;
    std::vector<Index> columns_;
    std::vector<Scalar> values_;  // column after column
};

extern template class RowsSharingEntries<float>;
extern template class RowsSharingEntries<double>;

}  // namespace rfbench::products
