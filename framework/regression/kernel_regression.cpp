#include "rfbench/regression/kernel_regression.hpp"

#include <algorithm>

namespace rfbench::regression {

std::vector<Predictions> kernel_regression(const ClassifiedRows& training, const PointsView& queries,
                                           const std::vector<double>& gammas) {
    constexpr Index tile = 16;
    const Vector norms = training.rows.rowwise().squaredNorm();
    std::vector<Predictions> results(gammas.size());
    Points squares;
    for (Index first = 0; first < queries.rows(); first += tile) {
        const auto rows = queries.middleRows(first, std::min(tile, queries.rows() - first));
        // |x - y|^2 up to |x|^2, which all of a row share.
        squares.noalias() = -2 * rows * training.rows.transpose();
        squares.rowwise() += norms.transpose();
        for (Index i = 0; i < rows.rows(); ++i) {
            const double nearest = squares.row(i).minCoeff();
            for (std::size_t g = 0; g < gammas.size(); ++g) {
                const double rate = -0.5 * gammas[g] * gammas[g];
                double most = -1;
                int best = Predictions::undecided;
                for (std::size_t part = 0; part < training.parts(); ++part) {
                    const auto own = squares.row(i).segment(training.starts[part], training.rows_of(part)).array();
                    const double score = (rate * (own - nearest)).exp().sum();
                    if (score > most) most = score, best = training.classes[part];
                }
                results[g].classes.push_back(best);
            }
        }
    }
    return results;
}

Predictions majority(const ClassifiedRows& training, Index n) {
    return {std::vector<int>(static_cast<std::size_t>(n), training.classes.front())};
}

}  // namespace rfbench::regression
