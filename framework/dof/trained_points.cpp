#include "rfbench/dof/trained_points.hpp"

#include <cmath>

namespace rfbench::dof {
namespace {

using features::FeatureBlock;
using features::Side;

/// The map of the points and weights, with the gradients of its parameters.
class PointsMap final : public features::FeatureMapOf<PointsMap>, public features::ParametricMapOf<PointsMap> {
public:
    PointsMap(const WeightedFeatures& own, bool points_held)
        : points_(own.points.size()),
          scale_(std::pow(static_cast<double>(own.points.rows()), -0.25)),
          points_held_(points_held),
          map_(own.map()) {}

    Index columns() const override { return map_->columns(); }
    Index num_parameters() const override { return points_ + columns(); }
    features::LargestEntry largest_entry() const override { return map_->largest_entry(); }

    template <class Scalar>
    void evaluate_rows(Side side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        map_->evaluate(side, rows, out);
    }

    /// d phi_m = phi_m (d^(-1/4) x.dz_m + d log alpha_m / 2), beside what rows have.
    template <class Scalar>
    void pull_all_back(Side side, const RowsView<Scalar>& rows, const FeatureBlock<Scalar>& features,
                       const Rows<Scalar>& gradient, Rows<Scalar>& out, Vector& by) const {
        map_->differentiable()->pullback(side, rows, features, gradient, out);
        if (by.size() == 0) return;
        const Rows<Scalar> logs = gradient.cwiseProduct(features.values);
        if (!points_held_)
            features::add_weight_gradient<Scalar>(rows, Rows<Scalar>(static_cast<Scalar>(scale_) * logs), by, 0);
        by.tail(columns()) += 0.5 * logs.colwise().sum().transpose().template cast<double>();
    }

private:
    Index points_;
    double scale_;
    bool points_held_;
    std::shared_ptr<const features::FeatureMap> map_;
};

class PointsMaps final : public features::MapFamily {
public:
    PointsMaps(const WeightedFeatures& start, bool points_held) : start_(start), points_held_(points_held) {
        start_.map();
    }

    Index columns() const override { return start_.points.cols(); }
    Index parameters() const override { return start_.points.size() + columns(); }
    Index trained() const override { return points_held_ ? columns() : parameters(); }
    Vector start(const Stream&) const override {
        Vector all(parameters());
        all << Vector(start_.points.reshaped()), start_.log_weights;
        return all;
    }
    std::vector<features::ParameterGroup> groups() const override {
        return {{"points", start_.points.size()}, {"weights", columns()}};
    }
    std::shared_ptr<const features::FeatureMap> map(const Vector& parameters) const override {
        features::check_parameters("trained points", parameters, this->parameters());
        const Index d = start_.points.rows(), count = columns();
        return std::make_shared<PointsMap>(
            WeightedFeatures{Eigen::Map<const Projections>(parameters.data(), d, count), parameters.tail(count)},
            points_held_);
    }

private:
    WeightedFeatures start_;
    bool points_held_;
};

}  // namespace

std::shared_ptr<const features::MapFamily> trained_points(const WeightedFeatures& start, bool points_held) {
    return std::make_shared<PointsMaps>(start, points_held);
}

}  // namespace rfbench::dof
