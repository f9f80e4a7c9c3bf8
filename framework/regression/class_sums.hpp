#pragma once
// Sums of the key features of each class, and the classes they predict: the score of class c for x is
// sum_i K^(x, y_i) [class of y_i = c] = P(x) . S_c, where S_c is the sum of Q(y_i) over the rows of class c.
#include <optional>

#include "rfbench/features/log_features.hpp"
#include "rfbench/regression/classes.hpp"

namespace rfbench::regression {

/// Kept with one exponent an entry: no factor of a feature is dropped and nothing under- or overflows, however unlike
/// the rows' log scales are.
class ClassSums {
public:
    /// R, and the class of each part of the rows that will be added.
    ClassSums(Index columns, std::vector<int> classes);

    /// Adds rows first .. first + n - 1 of `keys`, which are of the class classes[part].
    void add(std::size_t part, const features::FeatureBlock<double>& keys, Index first, Index n);

    /// Only ratios of one row's scores count, so its log scale is dropped. Of equal scores the first class wins.
    Predictions predict(const features::FeatureBlock<double>& queries) const;

private:
    std::vector<int> classes_;
    Eigen::ArrayXXd value_, exponent_;  // R x C: the sum is value exp(exponent)
};

template <class Scalar>
class LogClassScores;

/// The same from logarithms of features, in float or double, and exponentials in float. A feature's sums are kept
/// relative to a value within e^20 of its largest among all rows so far. Never overflows.
template <class Scalar>
class LogClassSums {
public:
    /// R, and the class of each part of the rows that will be added.
    LogClassSums(Index columns, std::vector<int> classes);

    /// Adds all rows of `keys`; rows starts[p] - first .. starts[p + 1] - first - 1 of them are of class classes[p].
    void add(const std::vector<Index>& starts, Index first, const features::LogFeatureBlock<Scalar>& keys);

private:
    friend class LogClassScores<Scalar>;
    using Row = Eigen::Array<Scalar, 1, Eigen::Dynamic>;

    /// Fills relative_ and highs_, and returns the largest of these.
    Scalar measure(const features::LogFeatureBlock<Scalar>& keys, double scale);
    /// Makes no log of `keys` larger than its feature's reference.
    void raise(const features::LogFeatureBlock<Scalar>& keys, double scale);

    std::vector<int> classes_;
    Eigen::ArrayXXd value_;     // R x C: the sum is value exp(reference)
    Eigen::ArrayXd reference_;  // R
    // Work space of the block being added: reference_ and the rows' scales relative to its scale, and the rows' largest
    // logs relative to their references.
    Row relative_;
    Eigen::Array<Scalar, Eigen::Dynamic, 1> offsets_, highs_;
    Eigen::ArrayXf sums_;
};

/// Classes by finished sums. Each feature of a query is multiplied by the feature's largest sum over classes, so that
/// the largest product of the query is kept; products that underflow in float are below 1e-37 of it.
template <class Scalar>
class LogClassScores {
public:
    /// Copies the sums, R features of C classes.
    explicit LogClassScores(const LogClassSums<Scalar>&);

    /// Appends the classes of `queries`, and spoils these. A row none of whose features is one of a training row is
    /// undecided.
    void predict(features::LogFeatureBlock<Scalar>& queries, std::vector<int>& classes) const;

private:
    std::vector<int> classes_;
    bool some_;                                        // training row with a feature that is not zero
    Eigen::Array<Scalar, 1, Eigen::Dynamic> factors_;  // R
    Eigen::MatrixXf weights_;                          // R x C
};

extern template class LogClassSums<float>;
extern template class LogClassSums<double>;
extern template class LogClassScores<float>;
extern template class LogClassScores<double>;

/// The same from features in float that have no logarithms, added up in double with one exponent a class: several times
/// faster, and good as long as what float cannot hold does not count.
class NarrowClassSums {
public:
    /// R, and the class of each part of the rows that will be added.
    NarrowClassSums(Index columns, std::vector<int> classes);

    /// Adds rows first .. first + n - 1 of `keys`, all of the class of `part`.
    void add(std::size_t part, const features::FeatureBlock<float>& keys, Index first, Index n);

    /// Nothing when float may have lost what decides: a row all of whose scores are below 1e-25 of the largest there
    /// can be, or not finite. The n R terms that float drops from a score are below 1e-37 each.
    std::optional<Predictions> predict(const features::FeatureBlock<float>& queries) const;

private:
    std::vector<int> classes_;
    Eigen::ArrayXXd value_;    // R x C: the sum is value exp(exponent)
    Eigen::ArrayXd exponent_;  // C
};

}  // namespace rfbench::regression
