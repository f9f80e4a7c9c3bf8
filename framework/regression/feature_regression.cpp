#include "rfbench/regression/feature_regression.hpp"

#include <algorithm>
#include <cmath>

namespace rfbench::regression {
namespace {

/// The features of this many rows stay in the first-level cache until they are added up.
constexpr Index chunk = 48;

/// Those of so many queries stay in the second-level cache until they are multiplied by the class sums.
constexpr Index query_chunk = 240;

/// Training rows whose features are compared between float and double.
constexpr Index probes = 16;

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
    for (const Points& rows : queries_) narrow_queries_.push_back(rows.cast<float>());
    const Index step = std::max<Index>(1, training_.rows.rows() / probes);
    Index longest = 0;
    training_.rows.rowwise().squaredNorm().maxCoeff(&longest);
    std::vector<Index> chosen{longest};
    for (Index row = step / 2; row < training_.rows.rows(); row += step) chosen.push_back(row);
    probe_ = training_.rows(chosen, Eigen::all);
}

std::vector<Predictions> FeatureRegression::predict(const features::FeatureMap& map) {
    std::vector<Predictions> result;
    in_float_ =
        in_float_ && same_in_float(map) && (predict_by_logs(map, result) || predict_in_float(map, result));
    return in_float_ ? result : predict_in_double(map);
}

bool FeatureRegression::same_in_float(const features::FeatureMap& map) const {
    constexpr double allowed = 0.05;
    features::FeatureBlock<double> wide;
    features::FeatureBlock<float> narrow;
    for (const auto side : {features::Side::query, features::Side::key}) {
        map.evaluate(side, probe_, wide);
        map.evaluate(side, Rows<float>(probe_.cast<float>()), narrow);
        const Eigen::ArrayXd factors = (narrow.log_scale - wide.log_scale).array().exp();
        const Eigen::ArrayXXd values = narrow.values.cast<double>().array().colwise() * factors;
        if (!((values - wide.values.array()).abs() <= allowed).all()) return false;
    }
    return true;
}

bool FeatureRegression::predict_by_logs(const features::FeatureMap& map, std::vector<Predictions>& result) {
    LogClassSums sums(map.columns(), training_.classes);
    for (Index first = 0; first < narrow_training_.rows(); first += chunk) {
        const Index n = std::min(chunk, narrow_training_.rows() - first);
        if (!map.evaluate_logs(features::Side::key, narrow_training_.middleRows(first, n), logs_)) return false;
        sums.add(training_.starts, first, logs_);
    }
    const LogClassScores scores(sums);
    for (const Rows<float>& rows : narrow_queries_) {
        Predictions& predictions = result.emplace_back();
        for (Index first = 0; first < rows.rows(); first += query_chunk) {
            const Index n = std::min(query_chunk, rows.rows() - first);
            map.evaluate_logs(features::Side::query, rows.middleRows(first, n), query_logs_);
            scores.predict(query_logs_, predictions.classes);
        }
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
