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
    // Below this a row's scores may have lost terms, and are added up again with the features' own exponents.
    constexpr double doubtful = 1e-200;
    // The sums of feature m are exp(largest[m]) times ratios.row(m), the largest ratio being one.
    const Eigen::ArrayXXd logs = value_.abs().log() + exponent_;
    const Eigen::ArrayXd largest = logs.rowwise().maxCoeff();
    const double high = largest.maxCoeff();
    Predictions result{std::vector<int>(static_cast<std::size_t>(queries.values.rows()), Predictions::undecided)};
    if (high == nothing) return result;
    const Eigen::ArrayXd offset = largest.max(std::numeric_limits<double>::lowest());
    const Eigen::ArrayXXd sizes = (logs.colwise() - offset).exp();
    const Eigen::MatrixXd ratios = value_.sign() * sizes;
    const Eigen::MatrixXd weights = (offset - high).exp().matrix().asDiagonal() * ratios;
    const Points scores = queries.values * weights;

    for (Index i = 0; i < scores.rows(); ++i) {
        Eigen::RowVectorXd own = scores.row(i);
        if (own.cwiseAbs().maxCoeff() < doubtful) {
            const Eigen::ArrayXd query = queries.values.row(i).transpose().array();
            Eigen::ArrayXd terms = query.abs().log() + largest;
            const double most = terms.maxCoeff();
            if (most == nothing) continue;
            terms = (terms - most).exp();
            own = (query.sign() * terms).matrix().transpose() * ratios;
        }
        Index best = 0;
        own.maxCoeff(&best);
        result.classes[static_cast<std::size_t>(i)] = classes_[static_cast<std::size_t>(best)];
    }
    return result;
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
