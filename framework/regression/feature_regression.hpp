#pragma once
// Kernel regression of one-hot classes (Nadaraya 1964; Watson 1964; Likhosherstov 2022, (2.1)) through random features:
// the score of class c for x is sum_i K^(x, y_i) [class of y_i = c], the predicted class the one of the largest score.
// The denominator is the same for all classes and is left out, so mechanisms with negative estimates serve too.
#include "rfbench/features/feature_map.hpp"
#include "rfbench/regression/classes.hpp"

namespace rfbench::regression {

/// Sums of the key features of each class, kept with one exponent an entry: no factor of a feature is dropped and nothing
/// under- or overflows, however unlike the rows' log scales are.
class ClassSums {
public:
    ClassSums(Index columns, std::vector<int> classes);

    /// Adds the features of rows of the class classes[part].
    void add(std::size_t part, const features::FeatureBlock<double>& keys);

    /// Only ratios of one row's scores count, so its log scale is dropped. Of equal scores the first class wins.
    Predictions predict(const features::FeatureBlock<double>& queries) const;

private:
    std::vector<int> classes_;
    Eigen::ArrayXXd value_, exponent_;  // R x C: the sum is value exp(exponent)
};

/// The class sums of all training rows.
ClassSums class_sums(const features::FeatureMap&, const ClassifiedRows& training);

}  // namespace rfbench::regression
