#include "rfbench/features/maps/row_terms.hpp"

#include <utility>

#include "rfbench/features/maps/squared_length.hpp"

namespace rfbench::features {

RowTerms::RowTerms(RowTerm term) : term_(std::move(term)), quadratic_(products::strided(term_.quadratic)) {}

template <class Scalar>
void RowTerms::add(const RowsView<Scalar>& rows, Index first, Index n, double constant, Vector& log_scale) const {
    const auto tile = rows.middleRows(first, n);
    auto out = log_scale.segment(first, n);
    out.array() += term_.constant + constant;
    if (term_.isotropic != 0)
        for (Index i = 0; i < n; ++i) out[i] += term_.isotropic * squared_length(tile, i);
    if (term_.linear.size() > 0) out += tile.template cast<double>() * term_.linear;
    if (quadratic_.rows() == 0) return;
    const Points wide = tile.template cast<double>();
    // x'Qx is the row sum of (X Q) o X.
    Points images(n, wide.cols());
    quadratic_.multiply(products::strided(wide), images.data(), images.cols());
    out += images.cwiseProduct(wide).rowwise().sum();
}

template <class Scalar>
void RowTerms::add_gradients(const RowsView<Scalar>& rows, const Vector& weights, Rows<Scalar>& out) const {
    const Points wide = rows.template cast<double>();
    Points gradient = 2 * term_.isotropic * wide;
    if (term_.linear.size() > 0) gradient.rowwise() += term_.linear.transpose();
    if (quadratic_.rows() > 0) gradient += wide * (term_.quadratic + term_.quadratic.transpose());
    out += (weights.asDiagonal() * gradient).template cast<Scalar>();
}

template void RowTerms::add(const RowsView<float>&, Index, Index, double, Vector&) const;
template void RowTerms::add(const RowsView<double>&, Index, Index, double, Vector&) const;
template void RowTerms::add_gradients(const RowsView<float>&, const Vector&, Rows<float>&) const;
template void RowTerms::add_gradients(const RowsView<double>&, const Vector&, Rows<double>&) const;

}  // namespace rfbench::features
