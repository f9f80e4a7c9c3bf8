#include "rfbench/attention/generalized_map.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "rfbench/attention/inputs.hpp"
#include "rfbench/features/maps/row_tiles.hpp"

namespace rfbench::attention {

using features::FeatureBlock;
using features::for_row_tiles;

namespace {

using WideRow = Eigen::Array<double, 1, Eigen::Dynamic>;

/// Features so small that Scalar holds few digits of them, of smaller ones beside them or of their inverse.
template <class Scalar>
constexpr double faint = std::numeric_limits<Scalar>::min() / std::numeric_limits<Scalar>::epsilon();

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
    const Vector none = Vector::Zero(weights.cols());
    wide_.projection.emplace(weights, none);
    narrow_.projection.emplace(weights, none);
}

GeneralizedMap::GeneralizedMap(const features::Nonlinearity& mapping, Index dimension)
    : GeneralizedMap(mapping, identity(dimension)) {
    wide_.projection.reset();
    narrow_.projection.reset();
}

template <class Scalar>
void GeneralizedMap::Product<Scalar>::apply(const RowsView<Scalar>& rows, Rows<Scalar>& out, Index first) const {
    if (projection)
        projection->apply(rows, &out(first, 0));
    else
        out.middleRows(first, rows.rows()) = rows;
}

template <class Scalar>
void GeneralizedMap::evaluate_with(const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
    features::prepare(rows, weights_.rows(), columns(), out);
    // A flag for each row, since threads share the tiles; they are counted at the end.
    std::vector<char> vanished(static_cast<std::size_t>(rows.rows()), 0);
    for_row_tiles(rows.rows(), [&](Index first, Index n) {
        product(Scalar()).apply(rows.middleRows(first, n), out.values, first);
        for (Index i = first; i < first + n; ++i) {
            auto row = out.values.row(i).array();
            // The whole row is where g is exp: its largest is taken out before anything can underflow.
            if (exponential(row)) {
                const Scalar shift = row.maxCoeff();
                row = (row - shift).exp();
                out.log_scale[i] = static_cast<double>(shift);
                continue;
            }
            // The usual case: over the row's largest, whose logarithm is the scale.
            mapping_.apply(row, row);
            double high = static_cast<double>(row.abs().maxCoeff());
            // So small that Scalar has lost digits, or all: the row is projected again and mapped in double.
            if (high < faint<Scalar>) {
                product(Scalar()).apply(rows.middleRows(i, 1), out.values, i);
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
void GeneralizedMap::differentiate(const RowsView<Scalar>& rows, const FeatureBlock<Scalar>& block,
                                   Rows<Scalar>& out) const {
    if (rows.cols() != weights_.rows() || block.values.rows() != rows.rows() || block.values.cols() != columns())
        throw std::invalid_argument("generalized attention: " + std::to_string(rows.rows()) + " x " +
                                    std::to_string(rows.cols()) + " rows and " + std::to_string(block.values.rows()) +
                                    " x " + std::to_string(block.values.cols()) +
                                    " features; the derivative needs the features of these rows");
    out.resize(rows.rows(), columns());
    for_row_tiles(rows.rows(), [&](Index first, Index n) {
        product(Scalar()).apply(rows.middleRows(first, n), out, first);
        for (Index i = first; i < first + n; ++i) {
            auto row = out.row(i).array();
            // The same three cases as in evaluate_with(): where g is exp, its slope is itself; where features are
            // faint, slopes over them are computed in double and kept within Scalar.
            const double high = std::exp(block.log_scale[i]);
            if (exponential(row)) {
                row = block.values.row(i).array();
            } else if (high < faint<Scalar>) {
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

void GeneralizedMap::evaluate(features::Side, const RowsView<double>& rows, FeatureBlock<double>& out) const {
    evaluate_with(rows, out);
}

void GeneralizedMap::evaluate(features::Side, const RowsView<float>& rows, FeatureBlock<float>& out) const {
    evaluate_with(rows, out);
}

template <class Scalar>
void GeneralizedMap::pull_back(const RowsView<Scalar>& rows, const features::FeatureBlock<Scalar>& block,
                               const Rows<Scalar>& gradient, Rows<Scalar>& out) const {
    Rows<Scalar> slopes;
    derivative(rows, block, slopes);
    const Rows<Scalar> products = gradient.cwiseProduct(slopes);
    if (const auto& projection = product(Scalar(0)).projection)
        projection->pull_back(products, out);
    else
        out = products;
}

void GeneralizedMap::pullback(features::Side, const RowsView<double>& rows, const features::FeatureBlock<double>& block,
                              const Rows<double>& gradient, Rows<double>& out) const {
    pull_back(rows, block, gradient, out);
}

void GeneralizedMap::pullback(features::Side, const RowsView<float>& rows, const features::FeatureBlock<float>& block,
                              const Rows<float>& gradient, Rows<float>& out) const {
    pull_back(rows, block, gradient, out);
}

void GeneralizedMap::derivative(const RowsView<double>& rows, const FeatureBlock<double>& block,
                                Rows<double>& out) const {
    differentiate(rows, block, out);
}

void GeneralizedMap::derivative(const RowsView<float>& rows, const FeatureBlock<float>& block, Rows<float>& out) const {
    differentiate(rows, block, out);
}

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
