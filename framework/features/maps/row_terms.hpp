#pragma once
#include "rfbench/features/maps/exponential_map.hpp"
#include "rfbench/products/panels.hpp"

namespace rfbench::features {

/// A RowTerm ready to be evaluated on tiles of rows, in double: its values are as large as squared lengths.
class RowTerms {
public:
    explicit RowTerms(RowTerm);

    /// Adds `constant` and the terms of rows first .. first + n - 1 to the log scales of these.
    template <class Scalar>
    void add(const RowsView<Scalar>& rows, Index first, Index n, double constant, Vector& log_scale) const;

    /// Adds weights_i times the gradient of the term at row i.
    template <class Scalar>
    void add_gradients(const RowsView<Scalar>& rows, const Vector& weights, Rows<Scalar>& out) const;

private:
    RowTerm term_;
    products::Panels<double> quadratic_;  // empty when there is none
};

}  // namespace rfbench::features
