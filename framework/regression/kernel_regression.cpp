#include "rfbench/regression/kernel_regression.hpp"

#include <algorithm>
#include <cmath>

namespace rfbench::regression {

std::vector<Predictions> kernel_regression(const ClassifiedRows& training, const PointsView& queries,
                                           const std::vector<double>& gammas) {
    constexpr Index tile = 16;
    const auto parts = static_cast<Index>(training.parts());
    const Vector norms = training.rows.rowwise().squaredNorm();
    Vector log_sizes(parts), closest(parts);
    for (Index part = 0; part < parts; ++part)
        log_sizes[part] = std::log(static_cast<double>(training.rows_of(static_cast<std::size_t>(part))));
    std::vector<Predictions> results(gammas.size());
    Points squares;
    for (Index first = 0; first < queries.rows(); first += tile) {
        const auto rows = queries.middleRows(first, std::min(tile, queries.rows() - first));
        // |x - y|^2 up to |x|^2, which all of a row share.
        squares.noalias() = -2 * rows * training.rows.transpose();
        squares.rowwise() += norms.transpose();
        for (Index i = 0; i < rows.rows(); ++i) {
            const auto of_part = [&](Index part) {
                const auto p = static_cast<std::size_t>(part);
                return squares.row(i).segment(training.starts[p], training.rows_of(p)).array();
            };
            for (Index part = 0; part < parts; ++part) closest[part] = of_part(part).minCoeff();
            const double nearest = closest.minCoeff();
            for (std::size_t g = 0; g < gammas.size(); ++g) {
                const double rate = -0.5 * gammas[g] * gammas[g];
                double most = -1;
                int best = Predictions::undecided;
                for (Index part = 0; part < parts; ++part) {
                    // All of its rows at its closest one's distance would make less than the nearest row's own 1.
                    if (log_sizes[part] + rate * (closest[part] - nearest) < -1e-9) continue;
                    const double score = (rate * (of_part(part) - nearest)).exp().sum();
                    if (score > most) most = score, best = training.classes[static_cast<std::size_t>(part)];
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
