#include "rfbench/features/maps/learned_map.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "rfbench/features/maps/row_tiles.hpp"

namespace rfbench::features {
namespace {

/// Offsets of the parts of the parameters.
struct Places {
    Index bias, gates, gate_bias, channels;

    explicit Places(const MapShape& shape)
        : bias(shape.dimension * shape.projections),
          gates(bias + shape.projections),
          gate_bias(gates + shape.dimension * shape.gates()),
          channels(gate_bias + shape.gates()) {}
};

/// w x n or whatever stands at a place, as a matrix of its columns.
Eigen::Map<const Eigen::MatrixXd> matrix(const Vector& parameters, Index place, Index rows, Index columns) {
    return {parameters.data() + place, rows, columns};
}
Eigen::Map<Eigen::MatrixXd> matrix(Vector& parameters, Index place, Index rows, Index columns) {
    return {parameters.data() + place, rows, columns};
}

/// features(:, (i, l)) *= gates(:, l), or gates(:, 0) for all.
void multiply(const Points& gates, Points& features) {
    if (gates.cols() == 1) features.array().colwise() *= gates.col(0).array();
    if (gates.cols() > 1)
        for (Index at = 0; at < features.cols(); at += gates.cols())
            features.middleCols(at, gates.cols()).array() *= gates.array();
}

/// Sums of gradient * features over each gate's features, n x gates.
Points gate_sums(const Points& products, Index gates) {
    if (gates == 1) return products.rowwise().sum();
    Points sums = Points::Zero(products.rows(), gates);
    for (Index at = 0; at < products.cols(); at += gates) sums += products.middleCols(at, gates);
    return sums;
}

}  // namespace

Index MapShape::gates() const {
    return envelope == Envelope::none ? 0 : envelope == Envelope::token ? 1 : channels->count();
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

LearnedMap::LearnedMap(const MapShape& shape, Vector parameters) : shape_(shape), parameters_(std::move(parameters)) {
    check(shape_);
    if (parameters_.size() != shape_.parameters())
        throw std::invalid_argument("learned map: " + std::to_string(parameters_.size()) +
                                    " parameters; its shape has " + std::to_string(shape_.parameters()));
    if (!parameters_.allFinite()) throw std::invalid_argument("learned map: not all parameters are finite");
}

Points LearnedMap::projected(const PointsView& rows) const {
    if (rows.cols() != shape_.dimension)
        throw std::invalid_argument("learned map: the rows have " + std::to_string(rows.cols()) +
                                    " coordinates, the map was made for " + std::to_string(shape_.dimension));
    Points out = rows * matrix(parameters_, 0, shape_.dimension, shape_.projections);
    out.rowwise() += parameters_.segment(Places(shape_).bias, shape_.projections).transpose();
    return out;
}

Points LearnedMap::gates(const PointsView& rows) const {
    const Places places(shape_);
    Points out = rows * matrix(parameters_, places.gates, shape_.dimension, shape_.gates());
    out.rowwise() += parameters_.segment(places.gate_bias, shape_.gates()).transpose();
    // exp may overflow to infinity, whose inverse is the 0 that it should be.
    return (1 + (-out.array()).exp()).inverse();
}

Points LearnedMap::values(const PointsView& rows) const {
    Points psi;  // (row, i) x l: the same order in memory as row x (i, l)
    shape_.channels->evaluate(parameters_.tail(shape_.channels->parameters()),
                              projected(rows).reshaped<Eigen::RowMajor>(), psi);
    Points out =
        psi.reshaped<Eigen::RowMajor>(rows.rows(), columns()) / std::sqrt(static_cast<double>(shape_.projections));
    if (shape_.gates() > 0) multiply(gates(rows), out);
    return out;
}

Points LearnedMap::pull_back(const PointsView& rows, const PointsView& gradient, Vector& parameters) const {
    if (gradient.rows() != rows.rows() || gradient.cols() != columns() || parameters.size() != parameters_.size())
        throw std::invalid_argument("learned map: a gradient of " + std::to_string(gradient.rows()) + " x " +
                                    std::to_string(gradient.cols()) + " for " + std::to_string(rows.rows()) +
                                    " rows of " + std::to_string(columns()) + " features");
    const Places places(shape_);
    const Index d = shape_.dimension, m = shape_.projections, g = shape_.gates();
    const double scale = 1 / std::sqrt(static_cast<double>(m));
    const Vector u = projected(rows).reshaped<Eigen::RowMajor>();
    Points out = Points::Zero(rows.rows(), d), features = scale * gradient;

    if (g > 0) {
        // h = sigmoid(V'x + c) has the derivative h (1 - h); after it, `features` is the gradient with respect to psi.
        const Points h = gates(rows);
        Points psi;
        shape_.channels->evaluate(parameters_.tail(shape_.channels->parameters()), u, psi);
        const Points ungated = psi.reshaped<Eigen::RowMajor>(rows.rows(), columns());
        const Points back = gate_sums(ungated.cwiseProduct(features), g).array() * h.array() * (1 - h.array());
        matrix(parameters, places.gates, d, g).noalias() += rows.transpose() * back;
        parameters.segment(places.gate_bias, g) += back.colwise().sum().transpose();
        out.noalias() += back * matrix(parameters_, places.gates, d, g).transpose();
        multiply(h, features);
    }
    // Through the channels to u = W'x + b, and from there to W, b and the rows.
    Vector inputs;
    shape_.channels->pullback(parameters_.tail(shape_.channels->parameters()), u,
                              features.reshaped<Eigen::RowMajor>(u.size(), shape_.channels->count()),
                              parameters.tail(shape_.channels->parameters()), inputs);
    const Eigen::Map<const Points> back(inputs.data(), rows.rows(), m);
    if (shape_.projections_trained) {
        matrix(parameters, 0, d, m).noalias() += rows.transpose() * back;
        parameters.segment(places.bias, m) += back.colwise().sum().transpose();
    }
    out.noalias() += back * matrix(parameters_, 0, d, m).transpose();
    return out;
}

template <class Scalar>
void LearnedMap::evaluate_rows(Side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
    prepare(rows, shape_.dimension, columns(), out);
    for_row_tiles(rows.rows(), [&](Index first, Index n) {
        const Points wide = rows.middleRows(first, n).template cast<double>();
        const Points all = values(wide);
        for (Index i = 0; i < n; ++i) {
            // Over the row's largest feature, whose logarithm is the scale: floats lose no digits to small rows.
            const double high = all.row(i).cwiseAbs().maxCoeff();
            out.values.row(first + i) = (all.row(i) / (high > 0 ? high : 1)).template cast<Scalar>();
            out.log_scale[first + i] = high > 0 ? std::log(high) : 0;
        }
    });
    out.vanished = (out.values.rowwise().template lpNorm<Eigen::Infinity>().array() == 0).count();
}

template <class Scalar>
void LearnedMap::pull_rows_back(Side, const RowsView<Scalar>& rows, const FeatureBlock<Scalar>& features,
                                const Rows<Scalar>& gradient, Rows<Scalar>& out) const {
    if (features.log_scale.size() != gradient.rows())
        throw std::invalid_argument("learned map: features of " + std::to_string(features.log_scale.size()) +
                                    " rows and a gradient of " + std::to_string(gradient.rows()));
    // Features are psi over exp(log_scale), which is held fixed; so is their gradient.
    const Points unscaled =
        (-features.log_scale.array()).exp().matrix().asDiagonal() * gradient.template cast<double>();
    Vector unused = Vector::Zero(parameters_.size());
    out = pull_back(rows.template cast<double>(), unscaled, unused).template cast<Scalar>();
}

template void LearnedMap::evaluate_rows(Side, const RowsView<double>&, FeatureBlock<double>&) const;
template void LearnedMap::evaluate_rows(Side, const RowsView<float>&, FeatureBlock<float>&) const;
template void LearnedMap::pull_rows_back(Side, const RowsView<double>&, const FeatureBlock<double>&,
                                         const Rows<double>&, Rows<double>&) const;
template void LearnedMap::pull_rows_back(Side, const RowsView<float>&, const FeatureBlock<float>&, const Rows<float>&,
                                         Rows<float>&) const;

}  // namespace rfbench::features
