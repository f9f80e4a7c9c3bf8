#include "rfbench/features/maps/learned_map.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "rfbench/errors.hpp"
#include "rfbench/features/maps/log_logistic.hpp"
#include "rfbench/features/maps/row_tiles.hpp"
#include "rfbench/features/maps/scaled_row.hpp"
#include "rfbench/random/quantiles.hpp"
#include "rfbench/text/number.hpp"

namespace rfbench::features {
namespace {

template <class Scalar>
using Column = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
template <class Scalar>
using Row = Eigen::Array<Scalar, 1, Eigen::Dynamic>;
template <class Scalar>
using Flat = Eigen::Map<Row<Scalar>>;

/// All entries of a matrix as one row, in place.
template <class Scalar>
RowRef<Scalar> flat(Rows<Scalar>& matrix) {
    return Flat<Scalar>(matrix.data(), matrix.size());
}

/// Offsets of the parts of the parameters.
struct Places {
    Index bias, gates, gate_bias, channels;

    explicit Places(const MapShape& shape)
        : bias(shape.dimension * shape.projections),
          gates(bias + shape.projections),
          gate_bias(gates + shape.dimension * shape.gates()),
          channels(gate_bias + shape.gates()) {}
};

Projections matrix(const Vector& parameters, Index place, Index rows, Index columns) {
    return Eigen::Map<const Projections>(parameters.data() + place, rows, columns);
}

/// Points of equal weight that stand for N(0, 1), and the listing's constants.
constexpr Index normal_count = 64;
constexpr double rms_target = 0.1, rms_epsilon = 1e-6;

Row<double> normal_quantiles() {
    Row<double> u(normal_count);
    for (Index k = 0; k < normal_count; ++k)
        u[k] = normal_quantile((static_cast<double>(k) + 0.5) / static_cast<double>(normal_count));
    return u;
}

}  // namespace

Index MapShape::gates() const {
    return envelope == Envelope::token ? 1 : envelope == Envelope::channels ? channels->count() : 0;
}

Index MapShape::parameters() const { return Places(*this).channels + channels->parameters(); }

// W and b come first: where projections stay, what is before the gates is not trained.
Index MapShape::trained() const { return parameters() - (projections_trained ? 0 : Places(*this).gates); }

Vector MapShape::start(const Stream& stream) const {
    check(*this);
    Vector out = Vector::Zero(parameters());
    Eigen::MatrixXd weights(dimension, projections);
    fill_normal(stream.child("projections"), weights);
    // Biases stay zero, and gates too, which are then one half for every row.
    out.head(weights.size()) = weights.reshaped() / std::sqrt(static_cast<double>(dimension));
    out.tail(channels->parameters()) = channels->start(stream.child("channels"));
    return out;
}

void check(const MapShape& shape) {
    if (shape.dimension < 1 || shape.projections < 1)
        throw std::invalid_argument("learned map: d = " + std::to_string(shape.dimension) +
                                    " and m = " + std::to_string(shape.projections) + "; both must be positive");
    if (!shape.channels) throw std::invalid_argument("learned map: it has no channels");
}

namespace {

const MapShape& checked(const MapShape& shape, const Vector& parameters) {
    check(shape);
    if (parameters.size() != shape.parameters())
        throw std::invalid_argument("learned map: " + std::to_string(parameters.size()) +
                                    " parameters; its shape has " + std::to_string(shape.parameters()));
    if (!parameters.allFinite()) throw std::invalid_argument("learned map: not all parameters are finite");
    return shape;
}

/// Throws NotFinite for rows whose projections, W'x + b, these are.
template <class Scalar>
[[noreturn]] void refuse_channels(const Rows<Scalar>& projected) {
    const bool wide = std::is_same_v<Scalar, double>;
    throw NotFinite("learned map: channels of rows whose projections w.x + b are up to " +
                    shortest_text(projected.cwiseAbs().maxCoeff()) + " are not finite in " +
                    (wide ? "double" : "single") + " precision; smaller projections are allowed" +
                    (wide ? "" : ", or rows in double"));
}

}  // namespace

LearnedMap::LearnedMap(const MapShape& shape, Vector parameters)
    : shape_(checked(shape, parameters)),
      parameters_(std::move(parameters)),
      product_(matrix(parameters_, 0, shape_.dimension, shape_.projections),
               Vector(parameters_.segment(Places(shape_).bias, shape_.projections))),
      gates_(matrix(parameters_, Places(shape_).gates, shape_.dimension, shape_.gates()),
             Vector(parameters_.segment(Places(shape_).gate_bias, shape_.gates()))) {
    if (shape_.channel_rms) scale_channels();
}

LargestEntry LearnedMap::largest_entry() const {
    return features::largest_entry(product_).both(features::largest_entry(gates_));
}

double LearnedMap::curvature() const {
    const double half = 0.5 / std::sqrt(static_cast<double>(shape_.dimension));
    return shape_.envelope == Envelope::gaussian ? -half : shape_.envelope == Envelope::softmax ? half : 0;
}

/// r_l = min(1, 0.1 / (rms_l + 1e-6)), rms_l^2 = mean psi_l(u)^2 + 1e-6.
void LearnedMap::scale_channels() {
    Points psi;
    Row<double> u = normal_quantiles();
    shape_.channels->evaluate(channel_parameters(), u, psi);
    shape_.channels->output().apply(flat(psi), flat(psi));
    scales_ = psi.colwise().squaredNorm().transpose() / static_cast<double>(normal_count);
    scales_ = (rms_target / ((scales_.array() + rms_epsilon).sqrt() + rms_epsilon)).min(1);
}

void LearnedMap::send_back_scales(const Vector& by_scales, Vector& by_parameters) const {
    // dr_l / dpsi = -r_l^2 / 0.1 psi / (count rms_l) where r_l < 1.
    Row<double> u = normal_quantiles(), unused(normal_count);
    Points sums;
    shape_.channels->evaluate(channel_parameters(), u, sums);
    Points psi = sums, slopes = sums;
    shape_.channels->output().apply(flat(psi), flat(psi));
    shape_.channels->output().slope(flat(slopes), flat(slopes));
    for (Index l = 0; l < psi.cols(); ++l) {
        const double r = scales_[l], rms = rms_target / r - rms_epsilon;
        const double factor =
            r < 1 ? -by_scales[l] * r * r / rms_target / (static_cast<double>(normal_count) * rms) : 0;
        psi.col(l) = factor * psi.col(l).cwiseProduct(slopes.col(l));
    }
    shape_.channels->pullback(channel_parameters(), u, psi, by_parameters, Places(shape_).channels, unused);
}

/// Values of a tile of rows on the way from them to their features.
template <class Scalar>
struct LearnedMap::Tile {
    Rows<Scalar> projected, sums;  ///< n x m; n m x L
    Rows<Scalar> values;           ///< n x m L: out(sums) over its largest, and then with factors
    Rows<Scalar> gates;            ///< n x gates, sigmoids
    Vector of_output, log_scale;   ///< logarithms of what out(sums), and the features, are over
    Column<Scalar> factors_over;   ///< by which factors of channels have divided values
    bool factors = false;          ///< whether channels have factors: gates of their own, or scales

    auto row(Index i) { return RowRef<Scalar>(Flat<Scalar>(sums.data() + i * values.cols(), values.cols())); }
};

template <class Scalar>
void LearnedMap::fill(const RowsView<Scalar>& rows, Tile<Scalar>& tile) const {
    const Index n = rows.rows(), m = shape_.projections, count = shape_.channels->count();
    tile.projected.resize(n, m);
    product_.in<Scalar>().apply(rows, tile.projected.data());
    shape_.channels->evaluate(channel_parameters(), flat(tile.projected), tile.sums);
    // Zero times a sum is zero, unless it is not finite.
    if (!((Scalar(0) * flat(tile.sums)).sum() == 0)) refuse_channels(tile.projected);
    tile.gates.resize(n, shape_.gates());
    if (shape_.gates() > 0) gates_.in<Scalar>().apply(rows, tile.gates.data());
    tile.values.resize(n, columns());
    tile.of_output.resize(n);
    tile.log_scale.resize(n);
    tile.factors_over.setOnes(n);
    tile.factors = scales_.size() > 0 || shape_.gates() > 1;
    const auto scales = scales_.transpose().template cast<Scalar>().eval();
    for (Index i = 0; i < n; ++i) {
        auto row = tile.values.row(i).array();
        tile.of_output[i] = scaled_values<Scalar>(shape_.channels->output(), tile.row(i), row);
        if (tile.of_output[i] == std::numeric_limits<double>::infinity()) refuse_channels(tile.projected);
        double log_scale = tile.of_output[i] - 0.5 * std::log(static_cast<double>(m));
        if (shape_.gates() == 1) log_scale += log_logistic(static_cast<double>(tile.gates(i, 0)));
        // exp may overflow to infinity, whose inverse is the 0 that it should be.
        tile.gates.row(i) = (1 + (-tile.gates.row(i).array()).exp()).inverse();
        if (tile.factors) {
            for (Index at = 0; at < columns(); at += count) {
                if (shape_.gates() > 1) row.segment(at, count) *= tile.gates.row(i).array();
                if (scales_.size() > 0) row.segment(at, count) *= scales.array();
            }
            const Scalar high = row.abs().maxCoeff();
            if (high > 0) {
                row /= high;
                tile.factors_over[i] = high;
                log_scale += std::log(static_cast<double>(high));
            } else {
                log_scale = -std::numeric_limits<double>::infinity();
            }
        }
        if (curvature() != 0) log_scale += curvature() * rows.row(i).template cast<double>().squaredNorm();
        tile.log_scale[i] = std::isfinite(log_scale) ? log_scale : 0;
    }
}

template <class Scalar>
void LearnedMap::evaluate_rows(Side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
    prepare(rows, shape_.dimension, columns(), out);
    for_row_tiles(rows.rows(), [&](Index first, Index n) {
        Tile<Scalar> tile;
        fill<Scalar>(rows.middleRows(first, n), tile);
        out.values.middleRows(first, n) = tile.values;
        out.log_scale.segment(first, n) = tile.log_scale;
    });
    out.vanished = (out.values.rowwise().template lpNorm<Eigen::Infinity>().array() == 0).count();
}

template <class Scalar>
void LearnedMap::pull_all_back(Side, const RowsView<Scalar>& rows, const FeatureBlock<Scalar>& features,
                               const Rows<Scalar>& gradient, Rows<Scalar>& out, Vector& by) const {
    if (features.values.rows() != gradient.rows() || gradient.cols() != columns())
        throw std::invalid_argument("learned map: a gradient of " + std::to_string(gradient.rows()) + " x " +
                                    std::to_string(gradient.cols()) + " for " + std::to_string(features.values.rows()) +
                                    " rows of " + std::to_string(columns()) + " features");
    const Places places(shape_);
    const Index n = rows.rows(), count = shape_.channels->count(), g = shape_.gates();
    Tile<Scalar> tile;
    fill(rows, tile);
    // Gradients with respect to the logarithms of the features: what gates, scales and the envelope have.
    const Rows<Scalar> logs = gradient.cwiseProduct(features.values);
    Rows<Scalar> by_channel = Rows<Scalar>::Zero(n, count);
    for (Index at = 0; at < columns(); at += count) by_channel += logs.middleCols(at, count);
    if (scales_.size() > 0 && by.size() > 0)
        send_back_scales(by_channel.colwise().sum().transpose().template cast<double>().cwiseQuotient(scales_), by);
    out.setZero(n, shape_.dimension);
    if (g > 0) {
        Rows<Scalar> back = g == 1 ? Rows<Scalar>(by_channel.rowwise().sum()) : by_channel;
        back.array() *= 1 - tile.gates.array();
        gates_.in<Scalar>().pull_back(back, out);
        if (by.size() > 0) {
            add_weight_gradient<Scalar>(rows, back, by, places.gates);
            by.segment(places.gate_bias, g) += back.colwise().sum().transpose().template cast<double>();
        }
    }
    if (curvature() != 0) out += static_cast<Scalar>(2 * curvature()) * by_channel.rowwise().sum().asDiagonal() * rows;

    // To the channels' sums: the slope of out over the scale of its values, times the factors over theirs.
    Rows<Scalar> slopes(n, columns());
    Rows<Scalar>& back = tile.sums;
    const auto scales = scales_.transpose().template cast<Scalar>().eval();
    for (Index i = 0; i < n; ++i) {
        auto row = slopes.row(i).array();
        if (!std::isfinite(tile.of_output[i])) {
            row.setZero();
        } else {
            // Factors have changed the values: they are made again.
            Row<Scalar> values = tile.values.row(i);
            if (tile.factors) scaled_values<Scalar>(shape_.channels->output(), tile.row(i), values);
            scaled_slopes<Scalar>(shape_.channels->output(), tile.row(i), values, tile.of_output[i], row);
        }
        row *= gradient.row(i).array() / tile.factors_over[i];
        for (Index at = 0; tile.factors && at < columns(); at += count) {
            if (g > 1) row.segment(at, count) *= tile.gates.row(i).array();
            if (scales_.size() > 0) row.segment(at, count) *= scales.array();
        }
        tile.row(i) = row;
    }
    // Through the channels to u = W'x + b, and from there to W, b and the rows.
    Rows<Scalar> by_projected(n, shape_.projections), by_rows;
    shape_.channels->pullback(channel_parameters(), flat(tile.projected), back, by, places.channels,
                              flat(by_projected));
    product_.in<Scalar>().pull_back(by_projected, by_rows);
    out += by_rows;
    if (shape_.projections_trained && by.size() > 0) {
        add_weight_gradient<Scalar>(rows, by_projected, by, 0);
        by.segment(places.bias, shape_.projections) += by_projected.colwise().sum().transpose().template cast<double>();
    }
}

Points LearnedMap::projected(const PointsView& rows) const {
    if (rows.cols() != shape_.dimension)
        throw std::invalid_argument("learned map: the rows have " + std::to_string(rows.cols()) +
                                    " coordinates, the map was made for " + std::to_string(shape_.dimension));
    Points out(rows.rows(), shape_.projections);
    product_.in<double>().apply(rows, out.data());
    return out;
}

Points LearnedMap::values(const PointsView& rows) const {
    FeatureBlock<double> block;
    evaluate_rows(Side::query, rows, block);
    return block.log_scale.array().exp().matrix().asDiagonal() * block.values;
}

template void LearnedMap::evaluate_rows(Side, const RowsView<double>&, FeatureBlock<double>&) const;
template void LearnedMap::evaluate_rows(Side, const RowsView<float>&, FeatureBlock<float>&) const;
template void LearnedMap::pull_all_back(Side, const RowsView<double>&, const FeatureBlock<double>&, const Rows<double>&,
                                        Rows<double>&, Vector&) const;
template void LearnedMap::pull_all_back(Side, const RowsView<float>&, const FeatureBlock<float>&, const Rows<float>&,
                                        Rows<float>&, Vector&) const;

namespace {

class LearnedMaps final : public MapFamily {
public:
    explicit LearnedMaps(const MapShape& shape) : shape_((check(shape), shape)) {}

    Index columns() const override { return shape_.columns(); }
    Index parameters() const override { return shape_.parameters(); }
    Index trained() const override { return shape_.trained(); }
    Vector start(const Stream& stream) const override { return shape_.start(stream); }
    std::shared_ptr<const FeatureMap> map(const Vector& parameters) const override {
        return std::make_shared<LearnedMap>(shape_, parameters);
    }

private:
    MapShape shape_;
};

}  // namespace

std::shared_ptr<const MapFamily> learned_maps(const MapShape& shape) { return std::make_shared<LearnedMaps>(shape); }

}  // namespace rfbench::features
