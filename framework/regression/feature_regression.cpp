#include "rfbench/regression/feature_regression.hpp"

#include <algorithm>
#include <cmath>

namespace rfbench::regression {
namespace {

/// The features of this many rows stay in the second-level cache until they are added up.
constexpr Index chunk = 128;

/// The class sums of all training rows, `rows` being those of `training` in one of the precisions.
template <class Sums, class Scalar>
Sums class_sums(const features::FeatureMap& map, const ClassifiedRows& training, const Rows<Scalar>& rows,
                features::FeatureBlock<Scalar>& keys) {
    Sums sums(map.columns(), training.classes);
    std::size_t part = 0;
    for (Index first = 0; first < rows.rows(); first += chunk) {
        const Index end = std::min(first + chunk, rows.rows());
        map.evaluate(features::Side::key, rows.middleRows(first, end - first), keys);
        for (Index begin = first; begin < end;) {
            while (training.starts[part + 1] <= begin) ++part;
            const Index stop = std::min(end, training.starts[part + 1]);
            sums.add(part, keys, begin - first, stop - begin);
            begin = stop;
        }
    }
    return sums;
}

}  // namespace

FeatureRegression::FeatureRegression(ClassifiedRows training, std::vector<Points> queries)
    : training_(std::move(training)), queries_(std::move(queries)), narrow_training_(training_.rows.cast<float>()) {
    double most = -1;
    const auto look_for_longest = [&](const Points& rows) {
        if (rows.rows() == 0) return;
        Index at = 0;
        const double length = rows.rowwise().squaredNorm().maxCoeff(&at);
        if (length > most) most = length, longest_ = rows.row(at);
    };
    look_for_longest(training_.rows);
    for (const Points& rows : queries_) {
        look_for_longest(rows);
        narrow_queries_.push_back(rows.cast<float>());
    }
}

std::vector<Predictions> FeatureRegression::predict(const features::FeatureMap& map) {
    std::vector<Predictions> result;
    in_float_ = in_float_ && same_in_float(map) && predict_in_float(map, result);
    return in_float_ ? result : predict_in_double(map);
}

bool FeatureRegression::same_in_float(const features::FeatureMap& map) const {
    constexpr double allowed = 0.01;
    features::FeatureBlock<double> wide;
    features::FeatureBlock<float> narrow;
    for (const auto side : {features::Side::query, features::Side::key}) {
        map.evaluate(side, longest_, wide);
        map.evaluate(side, Rows<float>(longest_.cast<float>()), narrow);
        const double factor = std::exp(narrow.log_scale[0] - wide.log_scale[0]);
        const auto difference = factor * narrow.values.cast<double>().array() - wide.values.array();
        if (!(difference.abs() <= allowed).all()) return false;
    }
    return true;
}

bool FeatureRegression::predict_in_float(const features::FeatureMap& map, std::vector<Predictions>& result) {
    const auto sums = class_sums<NarrowClassSums>(map, training_, narrow_training_, narrow_key_features_);
    for (const Rows<float>& rows : narrow_queries_) {
        map.evaluate(features::Side::query, rows, narrow_query_features_);
        auto predictions = sums.predict(narrow_query_features_);
        if (!predictions) return false;
        result.push_back(std::move(*predictions));
    }
    return true;
}

std::vector<Predictions> FeatureRegression::predict_in_double(const features::FeatureMap& map) {
    const auto sums = class_sums<ClassSums>(map, training_, training_.rows, key_features_);
    std::vector<Predictions> result;
    for (const Points& rows : queries_) {
        map.evaluate(features::Side::query, rows, query_features_);
        result.push_back(sums.predict(query_features_));
    }
    return result;
}

}  // namespace rfbench::regression
