#include "rfbench/regression/ridge.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "rfbench/decompositions/cholesky.hpp"
#include "rfbench/regression/gaussian_matrix.hpp"

namespace rfbench::regression {

PlainFeatures plain_features(const features::FeatureBlock<double>& block) {
    // The Gram matrix has squares of features: beyond these bounds double would not hold them.
    constexpr double least = 1e-150, most = 1e150;
    PlainFeatures result{block.values, 0};
    for (Index i = 0; i < block.values.rows(); ++i) {
        auto row = result.values.row(i);
        row *= std::exp(block.log_scale[i]);
        const double largest = row.cwiseAbs().maxCoeff();
        if (largest >= least && largest <= most) continue;
        ++result.lost;
        row.setZero();
    }
    return result;
}

void check_symmetric(const features::FeatureMap& map, const PointsView& rows) {
    features::FeatureBlock<double> query, key;
    map.evaluate(features::Side::query, rows, query);
    map.evaluate(features::Side::key, rows, key);
    if (!query.log_scale.isApprox(key.log_scale, 1e-12) || !query.values.isApprox(key.values, 1e-12))
        throw std::invalid_argument(
            "regression: these features differ between queries and keys, so that their estimates are no "
            "symmetric, positive semi-definite matrix; take ones that do not, e.g. "
            "positive, optimal-positive, trigonometric or poisson");
}

FeatureRidge::FeatureRidge(const PointsView& features, const PointsView& targets)
    : gram_(features.transpose() * features), moments_(features.transpose() * targets) {}

std::optional<Eigen::MatrixXd> FeatureRidge::weights(double lambda) const {
    Eigen::MatrixXd matrix = gram_;
    matrix.diagonal().array() += lambda;
    const decompositions::Cholesky factor(std::move(matrix));
    if (!factor.positive_definite()) return {};
    return factor.solve(moments_);
}

std::vector<std::optional<Points>> kernel_ridge(const PointsView& rows, const PointsView& targets,
                                                const PointsView& queries, const std::vector<double>& lambdas) {
    const Eigen::MatrixXd kernel = gaussian_matrix(rows, rows), cross = gaussian_matrix(queries, rows);
    std::vector<std::optional<Points>> results;
    for (const double lambda : lambdas) {
        Eigen::MatrixXd matrix = kernel;
        matrix.diagonal().array() += lambda;
        const decompositions::Cholesky factor(std::move(matrix));
        if (factor.positive_definite())
            results.emplace_back(cross * factor.solve(targets));
        else
            results.emplace_back();
    }
    return results;
}

}  // namespace rfbench::regression
