#pragma once
// Splits, kernels and positive features of a small set's rows, written out, as studies of regression have them.
#include <cmath>
#include <vector>

#include "rfbench/features/catalogue.hpp"
#include "rfbench/regression/split.hpp"
#include "small_set.hpp"

namespace rfbench::split_parts {

/// One split of the rows, standardised by the training rows.
struct Parts {
    Points training, validation, test;
    std::vector<int> training_classes, validation_classes, test_classes;
    Stream features;
    regression::Split split;

    Parts(const small_set::Rows& rows, std::uint64_t number)
        : features(Stream(1).child("regression").child("small").child(number).child("features")),
          split(regression::split_rows(rows.points.rows(),
                                       Stream(1).child("regression").child("small").child(number).child("split"))) {
        const Points all = rows.points(split.training, Eigen::all);
        const Eigen::RowVectorXd mean = all.colwise().mean();
        const Eigen::RowVectorXd deviation = (all.rowwise() - mean).array().square().colwise().mean().sqrt();
        const auto take = [&](const std::vector<Index>& which, Points& points, std::vector<int>& classes) {
            points = (rows.points(which, Eigen::all).rowwise() - mean).array().rowwise() / deviation.array();
            for (const Index i : which) classes.push_back(rows.classes[static_cast<std::size_t>(i)]);
        };
        take(split.training, training, training_classes);
        take(split.validation, validation, validation_classes);
        take(split.test, test, test_classes);
    }
};

/// exp(-|gamma x - gamma y|^2 / 2)
inline Points gaussian(const Points& x, const Points& y, double gamma) {
    Points kernel(x.rows(), y.rows());
    for (Index i = 0; i < x.rows(); ++i)
        for (Index j = 0; j < y.rows(); ++j)
            kernel(i, j) = std::exp(-0.5 * gamma * gamma * (x.row(i) - y.row(j)).squaredNorm());
    return kernel;
}

/// Positive features exp(w.x - |x|^2) / sqrt M of gamma x.
inline Points positive(const Points& rows, double gamma, const Projections& omega) {
    const Points x = gamma * rows;
    const Points exponent = (x * omega).colwise() - x.rowwise().squaredNorm();
    return exponent.array().exp() / std::sqrt(static_cast<double>(omega.cols()));
}

inline Projections omega(Index count, const char* sampling, const Stream& stream) {
    return features::draw(*features::fit(features::find("positive"), {}), 2, count, sampling::find(sampling), stream)
        .omega;
}

}  // namespace rfbench::split_parts
