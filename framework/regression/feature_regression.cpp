#include "rfbench/regression/feature_regression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rfbench::regression {
namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

}  // namespace

ClassSums::ClassSums(Index columns, std::vector<int> classes)
    : classes_(std::move(classes)),
      value_(Eigen::ArrayXXd::Zero(columns, static_cast<Index>(classes_.size()))),
      exponent_(Eigen::ArrayXXd::Constant(columns, static_cast<Index>(classes_.size()), nothing)) {}

void ClassSums::add(std::size_t part, const features::FeatureBlock<double>& keys) {
    const double high = keys.log_scale.maxCoeff();
    const Vector weights = (keys.log_scale.array() - high).exp();
    const Eigen::RowVectorXd sums = weights.transpose() * keys.values;
    auto value = value_.col(static_cast<Index>(part));
    auto exponent = exponent_.col(static_cast<Index>(part));
    for (Index m = 0; m < sums.size(); ++m) {
        if (sums[m] == 0) continue;
        if (exponent[m] < high) {
            value[m] *= std::exp(exponent[m] - high);
            exponent[m] = high;
        }
        value[m] += sums[m] * std::exp(high - exponent[m]);
    }
}

Predictions ClassSums::predict(const features::FeatureBlock<double>& queries) const {
    // Below this a row's scores may have lost terms, and are added up again in logs.
    constexpr double doubtful = 1e-200;
    const double high = exponent_.maxCoeff();
    const Eigen::MatrixXd weights = high == nothing ? Eigen::MatrixXd::Zero(value_.rows(), value_.cols())
                                                    : Eigen::MatrixXd(value_ * (exponent_ - high).exp());
    const Points scores = queries.values * weights;
    Predictions result;
    for (Index i = 0; i < scores.rows(); ++i) {
        Index best = 0;
        scores.row(i).maxCoeff(&best);
        const bool certain = scores.row(i).cwiseAbs().maxCoeff() > doubtful;
        result.classes.push_back(certain ? classes_[static_cast<std::size_t>(best)] : best_by_logs(queries.values.row(i)));
    }
    return result;
}

int ClassSums::best_by_logs(const Eigen::Ref<const Eigen::RowVectorXd>& query) const {
    Eigen::ArrayXXd logs(value_.rows(), value_.cols());
    for (Index c = 0; c < logs.cols(); ++c)
        for (Index m = 0; m < logs.rows(); ++m)
            logs(m, c) = query[m] == 0 || value_(m, c) == 0
                             ? nothing
                             : std::log(std::abs(query[m])) + std::log(std::abs(value_(m, c))) + exponent_(m, c);
    const double high = logs.maxCoeff();
    if (high == nothing) return Predictions::undecided;
    double most = nothing;
    int best = Predictions::undecided;
    for (Index c = 0; c < logs.cols(); ++c) {
        double score = 0;
        for (Index m = 0; m < logs.rows(); ++m)
            score += std::exp(logs(m, c) - high) * (std::signbit(query[m]) != std::signbit(value_(m, c)) ? -1 : 1);
        if (score > most) {
            most = score;
            best = classes_[static_cast<std::size_t>(c)];
        }
    }
    return best;
}

ClassSums class_sums(const features::FeatureMap& map, const ClassifiedRows& training) {
    constexpr Index chunk = 512;  // its features stay in the second-level cache for R up to about a hundred
    ClassSums sums(map.columns(), training.classes);
    features::FeatureBlock<double> keys;
    for (std::size_t part = 0; part < training.parts(); ++part)
        for (Index first = training.starts[part]; first < training.starts[part + 1]; first += chunk) {
            const Index n = std::min(chunk, training.starts[part + 1] - first);
            map.evaluate(features::Side::key, training.rows.middleRows(first, n), keys);
            sums.add(part, keys);
        }
    return sums;
}

}  // namespace rfbench::regression
