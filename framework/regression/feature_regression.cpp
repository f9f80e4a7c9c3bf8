#include "rfbench/regression/feature_regression.hpp"

#include <algorithm>
#include <cmath>

#include "rfbench/features/alike_features.hpp"
#include "rfbench/regression/class_sums.hpp"

namespace rfbench::regression {
namespace {

/// The features of this many rows stay in the first-level cache until they are added up.
constexpr Index chunk = products::RowsSharingEntries<float>::period;

/// Those of so many queries stay in the second-level cache until they are multiplied by the class sums.
constexpr Index query_chunk = 7 * chunk;

/// Training rows whose features are compared between float and double.
constexpr Index probes = 16;

/// The class sums of all training rows; evaluate(first, n, keys) writes their features.
template <class Sums, class Scalar, class Evaluate>
Sums class_sums(Index columns, const ClassifiedRows& training, features::FeatureBlock<Scalar>& keys,
                Evaluate evaluate) {
    Sums sums(columns, training.classes);
    std::size_t part = 0;
    for (Index first = 0; first < training.rows.rows(); first += chunk) {
        const Index end = std::min(first + chunk, training.rows.rows());
        evaluate(first, end - first, keys);
        // A chunk may hold the end of one class and the beginning of the next.
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

/// Terms of the features' logarithms that depend on rows alone: training rows as keys, and each set of queries.
template <class Scalar>
struct FeatureRegression::LogRows {
    features::LogInputs<Scalar> training;
    std::vector<features::LogInputs<Scalar>> queries;
};

/// Forms of the rows that all draws take.
struct FeatureRegression::Shared {
    products::RowsSharingEntries<float> narrow_training;
    std::optional<LogRows<double>> log_rows = {};  ///< once taken, as those below
    std::optional<LogRows<float>> narrow_log_rows = {};
};

FeatureRegression::~FeatureRegression() = default;

FeatureRegression::FeatureRegression(ClassifiedRows training, std::vector<Points> queries)
    : training_(std::move(training)),
      queries_(std::move(queries)),
      shared_(std::make_unique<Shared>(
          Shared{products::RowsSharingEntries<float>(Rows<float>(training_.rows.cast<float>()))})) {
    for (const Points& rows : queries_) narrow_queries_.push_back(rows.cast<float>());
    // The longest row, where float is the first to fail, and others spread over all.
    const Index step = std::max<Index>(1, training_.rows.rows() / probes);
    Index longest = 0;
    training_.rows.rowwise().squaredNorm().maxCoeff(&longest);
    std::vector<Index> chosen{longest};
    for (Index row = step / 2; row < training_.rows.rows(); row += step) chosen.push_back(row);
    probe_ = training_.rows(chosen, Eigen::all);
}

// Float is tried first, until for one map it is not good enough; from then on all is in double.
std::vector<Predictions> FeatureRegression::predict(const features::FeatureMap& map) {
    in_float_ = in_float_ && same_in_float(map);
    if (const auto* const logs = map.logs()) {
        if (in_float_)
            return predict_by_logs(*logs, map.columns(), shared_->narrow_training.rows(), narrow_queries_,
                                   shared_->narrow_log_rows);
        return predict_by_logs(*logs, map.columns(), training_.rows, queries_, shared_->log_rows);
    }
    if (in_float_)
        if (auto result = predict_in_float(map)) return *std::move(result);
    in_float_ = false;
    return predict_in_double(map);
}

bool FeatureRegression::same_in_float(const features::FeatureMap& map) const {
    constexpr double allowed = 0.05;
    features::FeatureBlock<double> wide;
    features::FeatureBlock<float> narrow;
    for (const auto side : {features::Side::query, features::Side::key}) {
        map.evaluate(side, probe_, wide);
        map.evaluate(side, Rows<float>(probe_.cast<float>()), narrow);
        // Both to the scales of double.
        const Eigen::ArrayXd factors = (narrow.log_scale - wide.log_scale).array().exp();
        const Eigen::ArrayXXd values = narrow.values.cast<double>().array().colwise() * factors;
        if (!((values - wide.values.array()).abs() <= allowed).all()) return false;
    }
    return true;
}

template <class Scalar>
std::vector<Predictions> FeatureRegression::predict_by_logs(const features::LogFeatures& map, Index columns,
                                                            const Rows<Scalar>& training,
                                                            const std::vector<Rows<Scalar>>& queries,
                                                            std::optional<LogRows<Scalar>>& in) const {
    if (!in) {
        in = {map.log_inputs(features::Side::key, training), {}};
        for (const Rows<Scalar>& rows : queries) in->queries.push_back(map.log_inputs(features::Side::query, rows));
    }
    LogClassSums<Scalar> sums(columns, training_.classes);
    features::LogFeatureBlock<Scalar> logs;
    for (Index first = 0; first < training.rows(); first += chunk) {
        map.evaluate_logs(features::Side::key, in->training, first, std::min(chunk, training.rows() - first), logs);
        sums.add(training_.starts, first, logs);
    }
    const LogClassScores<Scalar> scores(sums);
    std::vector<Predictions> result;
    for (const features::LogInputs<Scalar>& rows : in->queries) {
        Predictions& predictions = result.emplace_back();
        for (Index first = 0; first < rows.factors.size(); first += query_chunk) {
            const Index n = std::min(query_chunk, rows.factors.size() - first);
            map.evaluate_logs(features::Side::query, rows, first, n, logs);
            scores.predict(logs, predictions.classes);
        }
    }
    return result;
}

std::optional<std::vector<Predictions>> FeatureRegression::predict_in_float(const features::FeatureMap& map) {
    const auto* const alike = map.shared_entries();
    const products::RowsSharingEntries<float>& training = shared_->narrow_training;
    const auto evaluate = [&](Index first, Index n, features::FeatureBlock<float>& keys) {
        if (alike)
            alike->evaluate_alike(features::Side::key, training, first, n, keys);
        else
            map.evaluate(features::Side::key, training.rows().middleRows(first, n), keys);
    };
    const auto sums = class_sums<NarrowClassSums>(map.columns(), training_, narrow_key_features_, evaluate);
    std::vector<Predictions> result;
    for (const Rows<float>& rows : narrow_queries_) {
        map.evaluate(features::Side::query, rows, narrow_query_features_);
        auto predictions = sums.predict(narrow_query_features_);
        if (!predictions) return {};
        result.push_back(*std::move(predictions));
    }
    return result;
}

std::vector<Predictions> FeatureRegression::predict_in_double(const features::FeatureMap& map) {
    const auto evaluate = [&](Index first, Index n, features::FeatureBlock<double>& keys) {
        map.evaluate(features::Side::key, training_.rows.middleRows(first, n), keys);
    };
    const auto sums = class_sums<ClassSums>(map.columns(), training_, key_features_, evaluate);
    std::vector<Predictions> result;
    for (const Points& rows : queries_) {
        map.evaluate(features::Side::query, rows, query_features_);
        result.push_back(sums.predict(query_features_));
    }
    return result;
}

}  // namespace rfbench::regression
