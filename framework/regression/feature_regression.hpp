#pragma once
// Kernel regression of one-hot classes (Nadaraya 1964; Watson 1964; Likhosherstov 2022, (2.1)) through random features:
// the score of class c for x is sum_i K^(x, y_i) [class of y_i = c], the predicted class the one of the largest score.
// The denominator is the same for all classes and is left out, so mechanisms with negative estimates serve too.
#include <memory>
#include <optional>

#include "rfbench/features/feature_map.hpp"
#include "rfbench/regression/classes.hpp"

namespace rfbench::regression {

/// One training set and the sets of rows whose classes are asked for, served by many draws of features.
///
/// A draw is evaluated in float: by logarithms where features have them (LogClassSums), else as they are
/// (NarrowClassSums). Unless that could show: when features of the longest training row or of sixteen others differ
/// from those in double by more than a twentieth of the row's largest (their own errors are far larger), or
/// NarrowClassSums may have lost what decides. Then this draw and all later ones are evaluated in double: their
/// logarithms, or features where there are none (ClassSums). So results depend on the rows and draws alone.
class FeatureRegression {
public:
    /// The training rows, and sets of rows, n x d each, whose classes will be asked for.
    FeatureRegression(ClassifiedRows training, std::vector<Points> queries);
    ~FeatureRegression();

    /// The classes of each of the sets of queries. All maps must be draws of one mechanism.
    std::vector<Predictions> predict(const features::FeatureMap&);

    /// Whether draws are still evaluated in float.
    bool in_float() const { return in_float_; }

private:
    bool same_in_float(const features::FeatureMap&) const;
    template <class Scalar>
    struct LogRows;
    struct Shared;

    template <class Scalar>
    std::vector<Predictions> predict_by_logs(const features::LogFeatures&, Index columns, const Rows<Scalar>& training,
                                             const std::vector<Rows<Scalar>>& queries,
                                             std::optional<LogRows<Scalar>>&) const;
    std::optional<std::vector<Predictions>> predict_in_float(const features::FeatureMap&);
    std::vector<Predictions> predict_in_double(const features::FeatureMap&);

    ClassifiedRows training_;
    std::vector<Points> queries_;
    std::vector<Rows<float>> narrow_queries_;
    Points probe_;  // training rows
    bool in_float_ = true;
    features::FeatureBlock<double> key_features_, query_features_;
    features::FeatureBlock<float> narrow_key_features_, narrow_query_features_;
    std::unique_ptr<Shared> shared_;  // by all draws
};

}  // namespace rfbench::regression
