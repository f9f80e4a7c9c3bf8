#include "rfbench/attention/generalized_map.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "rfbench/attention/inputs.hpp"
#include "rfbench/features/maps/exponentials.hpp"
#include "rfbench/features/maps/row_tiles.hpp"

namespace rfbench::attention {

using features::FeatureBlock;
using features::for_row_tiles;

namespace {

using WideRow = Eigen::Array<double, 1, Eigen::Dynamic>;

/// Features so small that Scalar holds few digits of them, of smaller ones beside them or of their inverse.
template <class Scalar>
constexpr double faint = std::numeric_limits<Scalar>::min() / std::numeric_limits<Scalar>::epsilon();

/// Whether Scalar holds a row whole whose largest feature this is: it is neither faint nor beyond Scalar's range.
template <class Scalar>
bool held(double high) {
    return high >= faint<Scalar> && high <= static_cast<double>(std::numeric_limits<Scalar>::max());
}

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
        WideRow both(2);
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
        project<Scalar>(rows.middleRows(first, n), out.values, first);
        for (Index i = first; i < first + n; ++i) {
            auto row = out.values.row(i).array();
            // The whole row is where g is exp: its largest is taken out before anything can underflow.
            if (exponential(row)) {
                const Scalar shift = row.maxCoeff();
                features::exponentiate(row, shift, row);
                out.log_scale[i] = static_cast<double>(shift);
                continue;
            }
            // The usual case: over the row's largest, whose logarithm is the scale.
            mapping_.apply(row, row);
            double high = static_cast<double>(row.abs().maxCoeff());
            // So small that Scalar has lost digits, or all, or too large for it: the row is projected again and mapped
            // in double.
            if (!held<Scalar>(high)) {
                project<Scalar>(rows.middleRows(i, 1), out.values, i);
                WideRow wide = row.template cast<double>();
                mapping_.apply(wide, wide);
                high = wide.abs().maxCoeff();
                if (high > 0) wide /= high;
                row = wide.template cast<Scalar>();
            } else {
                row /= static_cast<Scalar>(high);
            }
            const bool zero = !(high > 0);
            vanished[static_cast<std::size_t>(i)] = zero;
            out.log_scale[i] = zero ? 0 : std::log(high);
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
            // The same three cases as in evaluate_rows(): where g is exp, its slope is itself; where Scalar does not
            // hold the features, slopes over them are computed in double and kept within it.
            const double high = std::exp(block.log_scale[i]);
            if (exponential(row)) {
                row = block.values.row(i).array();
            } else if (!held<Scalar>(high)) {
                constexpr double largest = std::numeric_limits<Scalar>::max();
                WideRow wide = row.template cast<double>();
                mapping_.slope(wide, wide);
                row = (wide / high).max(-largest).min(largest).template cast<Scalar>();
            } else {
                mapping_.slope(row, row);
                row *= static_cast<Scalar>(1 / high);
            }
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
