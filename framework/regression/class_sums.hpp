#pragma once
// Sums of the key features of each class, and the classes they predict: the score of class c for x is
// sum_i K^(x, y_i) [class of y_i = c] = P(x) . S_c, where S_c is the sum of Q(y_i) over the rows of class c.
#include <optional>

#include "rfbench/features/feature_map.hpp"
#include "rfbench/regression/classes.hpp"

namespace rfbench::regression {

/// Kept with one exponent an entry: no factor of a feature is dropped and nothing under- or overflows, however unlike the
/// rows' log scales are.
class ClassSums {
public:
    ClassSums(Index columns, std::vector<int> classes);

    /// Adds rows first .. first + n - 1 of `keys`, which are of the class classes[part].
    void add(std::size_t part, const features::FeatureBlock<double>& keys, Index first, Index n);

    /// Only ratios of one row's scores count, so its log scale is dropped. Of equal scores the first class wins.
    Predictions predict(const features::FeatureBlock<double>& queries) const;

private:
    std::vector<int> classes_;
    Eigen::ArrayXXd value_, exponent_;  // R x C: the sum is value exp(exponent)
};

/// The same from features in float, added up in double with one exponent a class: several times faster, and good as long
/// as what float cannot hold does not count.
class NarrowClassSums {
public:
    NarrowClassSums(Index columns, std::vector<int> classes);

    void add(std::size_t part, const features::FeatureBlock<float>& keys, Index first, Index n);

    /// Nothing when float may have lost what decides: a row all of whose scores are below 1e-25 of the largest there can
    /// be, or not finite. The n R terms that float drops from a score are below 1e-37 each.
    std::optional<Predictions> predict(const features::FeatureBlock<float>& queries) const;

private:
    std::vector<int> classes_;
    Eigen::ArrayXXd value_;    // R x C: the sum is value exp(exponent)
    Eigen::ArrayXd exponent_;  // C
};

}  // namespace rfbench::regression
