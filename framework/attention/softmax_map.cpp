#include "rfbench/attention/softmax_map.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "rfbench/features/maps/squared_length.hpp"

namespace rfbench::attention {
namespace {

double checked_scale(Index dimension) {
    if (dimension <= 0)
        throw std::invalid_argument("softmax features: d = " + std::to_string(dimension) + "; it must be positive");
    return std::pow(static_cast<double>(dimension), -0.25);
}

/// The map, if there is one and it takes rows of that dimension: it says itself when it does not.
std::shared_ptr<const features::FeatureMap> checked(std::shared_ptr<const features::FeatureMap> map, Index dimension) {
    if (!map) throw std::invalid_argument("softmax features: no map of the Gaussian kernel was given");
    features::FeatureBlock<double> none;
    map->evaluate(features::Side::query, Points(0, dimension), none);
    return map;
}

}  // namespace

SoftmaxMap::SoftmaxMap(std::shared_ptr<const features::FeatureMap> gaussian, Index dimension)
    : dimension_(dimension),
      scale_(checked_scale(dimension)),
      gaussian_(checked(std::move(gaussian), dimension)),
      own_(gaussian_->of_softmax(scale_)) {}

std::shared_ptr<const features::FeatureMap> SoftmaxMap::with_arithmetic(const products::Arithmetic& arithmetic) const {
    auto gaussian = gaussian_->with_arithmetic(arithmetic);
    return gaussian ? std::make_shared<SoftmaxMap>(std::move(gaussian), dimension_) : nullptr;
}

template <class Scalar>
void SoftmaxMap::evaluate_rows(features::Side side, const RowsView<Scalar>& rows,
                               features::FeatureBlock<Scalar>& out) const {
    if (own_) return own_->evaluate(side, rows, out);
    // x = scale q; exp(|x|^2 / 2), which the Gaussian kernel lacks, goes into the log scale.
    const Rows<Scalar> scaled = static_cast<Scalar>(scale_) * rows;
    gaussian_->evaluate(side, RowsView<Scalar>(scaled), out);
    for (Index i = 0; i < rows.rows(); ++i) out.log_scale[i] += 0.5 * features::squared_length(scaled, i);
}

template <class Scalar>
void SoftmaxMap::pull_rows_back(features::Side side, const RowsView<Scalar>& rows,
                                const features::FeatureBlock<Scalar>& features, const Rows<Scalar>& gradient,
                                Rows<Scalar>& out) const {
    if (own_) return own_->differentiable()->pullback(side, rows, features, gradient, out);
    const Rows<Scalar> scaled = static_cast<Scalar>(scale_) * rows;
    gaussian_->differentiable()->pullback(side, RowsView<Scalar>(scaled), features, gradient, out);
    const Eigen::Matrix<Scalar, Eigen::Dynamic, 1> logs = gradient.cwiseProduct(features.values).rowwise().sum();
    // d(f exp(|x|^2 / 2)) = exp(|x|^2 / 2) (df + f x.dx), and dx = scale dq.
    out = static_cast<Scalar>(scale_) * (out + logs.asDiagonal() * scaled);
}

template void SoftmaxMap::evaluate_rows(features::Side, const RowsView<double>&, features::FeatureBlock<double>&) const;
template void SoftmaxMap::evaluate_rows(features::Side, const RowsView<float>&, features::FeatureBlock<float>&) const;
template void SoftmaxMap::pull_rows_back(features::Side, const RowsView<double>&, const features::FeatureBlock<double>&,
                                         const Rows<double>&, Rows<double>&) const;
template void SoftmaxMap::pull_rows_back(features::Side, const RowsView<float>&, const features::FeatureBlock<float>&,
                                         const Rows<float>&, Rows<float>&) const;

features::Statistics softmax_statistics(const PointsView& queries, const PointsView& keys,
                                        features::PoissonMoments moments) {
    const double scale = std::pow(static_cast<double>(queries.cols()), -0.25);
    if (moments == features::PoissonMoments::computed) {
        const Points x = scale * queries, y = scale * keys;
        return features::statistics(x, y, moments);
    }
    // All others scale with the points, of which there need be no copies.
    features::Statistics result = features::statistics(queries, keys, moments);
    for (features::SetStatistics* const set : {&result.x, &result.y}) {
        set->mean *= scale;
        set->mean_absolute *= scale;
        set->minimum *= scale;
        set->second_moment *= scale * scale;
    }
    return result;
}

SoftmaxMap softmax_map(const features::Mechanism& mechanism, Index dimension, Index count,
                       const sampling::Scheme& sampling, const Stream& stream) {
    checked_scale(dimension);
    return {mechanism.map(features::draw(mechanism, dimension, count, sampling, stream)), dimension};
}

}  // namespace rfbench::attention
