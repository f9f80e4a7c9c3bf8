#pragma once
#include <vector>

#include "rfbench/matrix.hpp"

namespace rfbench::features {

/// x -> x W + b for rows x, W and b kept in the order in which vector registers read them: the product is bound by the
/// multiply-add units, and nothing is zeroed or copied first. Immutable.
template <class Scalar>
class AffineProduct {
public:
    /// W is d x M; b has M entries.
    AffineProduct(const Projections& weights, const Vector& bias);

    /// Rows that share one reading of W: callers that go on to work on the product take so many at a time.
    static constexpr Index rows_at_once = 6;

    Index dimension() const { return dimension_; }  ///< d
    Index columns() const { return columns_; }      ///< M

    /// Writes rows W + b, n x M, to out, whose rows begin `stride` scalars apart. Each entry is summed over the d
    /// coordinates in their order, whatever n is.
    void apply(const RowsView<Scalar>& rows, Scalar* out, Index stride) const;

private:
    Index dimension_, columns_;
    std::vector<Scalar> panels_, bias_;
};

extern template class AffineProduct<float>;
extern template class AffineProduct<double>;

}  // namespace rfbench::features
