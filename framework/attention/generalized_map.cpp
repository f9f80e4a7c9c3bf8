#include "rfbench/attention/generalized_map.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "rfbench/attention/inputs.hpp"
#include "rfbench/features/maps/row_tiles.hpp"
#include "rfbench/features/maps/scaled_row.hpp"

namespace rfbench::attention {

using features::FeatureBlock;
using features::for_row_tiles;

namespace {

Projections identity(Index dimension) {
    if (dimension <= 0)
        throw std::invalid_argument("generalized attention: d = " + std::to_string(dimension) +
                                    "; it must be positive");
    return Projections::Identity(dimension, dimension);
}

}  // namespace

GeneralizedMap::GeneralizedMap(const features::Nonlinearity& mapping, const Projections& weights)
    : mapping_(mapping), weights_(weights) {
    if (weights.rows() == 0 || weights.cols() == 0)
        throw std::invalid_argument("generalized attention: projections are " + std::to_string(weights.rows()) + " x " +
                                    std::to_string(weights.cols()) + "; d and M must be positive");
    check_finite<double>("generalized attention: the weights have", weights);
    projection_.emplace(weights, Vector::Zero(weights.cols()));
}

GeneralizedMap::GeneralizedMap(const features::Nonlinearity& mapping, Index dimension)
    : GeneralizedMap(mapping, identity(dimension)) {
    projection_.reset();
}

features::LargestEntry GeneralizedMap::largest_entry() const {
    // Products up to here, or down to there, have features that double holds.
    double product = std::numeric_limits<double>::max();
    const auto finite_at = [&](double at) {
        Eigen::Array<double, 1, Eigen::Dynamic> both(2);
        both << at, -at;
        mapping_.apply(both, both);
        return (both.abs() <= std::numeric_limits<double>::max()).all();
    };
    while (mapping_.exponential_below < product && !finite_at(product)) product /= 2;
    const double entry =
        projection_ ? product / weights_.cwiseAbs().maxCoeff() / static_cast<double>(weights_.rows()) : product;
    features::LargestEntry largest;
    if (projection_) largest = features::largest_entry(*projection_);
    return largest.both({entry, entry});
}

template <class Scalar>
void GeneralizedMap::project(const RowsView<Scalar>& rows, Rows<Scalar>& out, Index first) const {
    if (projection_)
        projection_->in<Scalar>().apply(rows, &out(first, 0));
    else
        out.middleRows(first, rows.rows()) = rows;
}

template <class Scalar>
void GeneralizedMap::evaluate_rows(features::Side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
    features::prepare(rows, weights_.rows(), columns(), out);
    // A flag for each row, since threads share the tiles; they are counted at the end.
    std::vector<char> vanished(static_cast<std::size_t>(rows.rows()), 0);
    for_row_tiles(rows.rows(), [&](Index first, Index n) {
        Rows<Scalar> products(n, columns());
        project<Scalar>(rows.middleRows(first, n), products, 0);
        for (Index i = 0; i < n; ++i) {
            auto z = products.row(i).array(), values = out.values.row(first + i).array();
            const double log_scale = features::scaled_values<Scalar>(mapping_, z, values);
            const bool zero = log_scale == -std::numeric_limits<double>::infinity();
            vanished[static_cast<std::size_t>(first + i)] = zero;
            out.log_scale[first + i] = zero ? 0 : log_scale;
        }
    });
    for (const char zero : vanished) out.vanished += zero;
}

template <class Scalar>
void GeneralizedMap::derivative(const std::type_identity_t<RowsView<Scalar>>& rows, const FeatureBlock<Scalar>& block,
                                Rows<Scalar>& out) const {
    if (rows.cols() != weights_.rows() || block.values.rows() != rows.rows() || block.values.cols() != columns())
        throw std::invalid_argument("generalized attention: " + std::to_string(rows.rows()) + " x " +
                                    std::to_string(rows.cols()) + " rows and " + std::to_string(block.values.rows()) +
                                    " x " + std::to_string(block.values.cols()) +
                                    " features; the derivative needs the features of these rows");
    out.resize(rows.rows(), columns());
    for_row_tiles(rows.rows(), [&](Index first, Index n) {
        project<Scalar>(rows.middleRows(first, n), out, first);
        for (Index i = first; i < first + n; ++i) {
            auto row = out.row(i).array();
            features::scaled_slopes<Scalar>(mapping_, row, block.values.row(i).array(), block.log_scale[i], row);
        }
    });
}

template <class Scalar>
void GeneralizedMap::pull_rows_back(features::Side, const RowsView<Scalar>& rows, const FeatureBlock<Scalar>& block,
                                    const Rows<Scalar>& gradient, Rows<Scalar>& out) const {
    Rows<Scalar> slopes;
    derivative(rows, block, slopes);
    const Rows<Scalar> products = gradient.cwiseProduct(slopes);
    if (projection_)
        projection_->in<Scalar>().pull_back(products, out);
    else
        out = products;
}

#define RFBENCH_INSTANTIATE(Scalar)                                                                                    \
    template void GeneralizedMap::evaluate_rows(features::Side, const RowsView<Scalar>&, FeatureBlock<Scalar>&) const; \
    template void GeneralizedMap::derivative(const RowsView<Scalar>&, const FeatureBlock<Scalar>&, Rows<Scalar>&)      \
        const;                                                                                                         \
    template void GeneralizedMap::pull_rows_back(features::Side, const RowsView<Scalar>&, const FeatureBlock<Scalar>&, \
                                                 const Rows<Scalar>&, Rows<Scalar>&) const;
RFBENCH_INSTANTIATE(float)
RFBENCH_INSTANTIATE(double)
#undef RFBENCH_INSTANTIATE

GeneralizedMap generalized_map(const features::Nonlinearity& mapping, Index dimension, Index count,
                               const sampling::Scheme& scheme, const Stream& stream) {
    if (dimension <= 0 || count <= 0)
        throw std::invalid_argument("generalized attention: d = " + std::to_string(dimension) +
                                    " and M = " + std::to_string(count) + "; both must be positive");
    Projections weights(dimension, count);
    scheme.normals(stream.child("omega"), weights);
    return {mapping, weights};
}

GeneralizedMap linear_transformer_map(Index dimension) { return {features::nonlinearity("elu+1"), dimension}; }

}  // namespace rfbench::attention
