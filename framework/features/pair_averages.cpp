#include "rfbench/features/pair_averages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "rfbench/parallel/loop.hpp"
#include "rfbench/parallel/parts.hpp"

namespace rfbench::features {
namespace {

constexpr Index tile_rows = 512;  ///< of each side: a tile of pairs takes 2 MiB
constexpr Index drawn_rows = 64;  ///< of each side of a block

/// Sums over the pairs of a block.
struct Sums {
    std::int64_t pairs = 0, zeros = 0;
    double logs = 0, squares = 0, estimators = 0;
    bool closed = true;  ///< whether all variances of estimators have a closed form

    /// Pairs that have a logarithm.
    double finite() const { return static_cast<double>(pairs - zeros); }

    void add(const Sums& other) {
        pairs += other.pairs;
        zeros += other.zeros;
        logs += other.logs;
        squares += other.squares;
        estimators += other.estimators;
        closed = closed && other.closed;
    }
};

/// Estimator of M draws.
struct Estimator {
    const MechanismWithMoments& mechanism;
    const sampling::Scheme& scheme;
    Index count;

    /// Whether its draws are independent, so that its variance is that of one over M.
    bool independent() const {
        const std::vector<Index> groups = mechanism.groups(count);
        return scheme.exact_marginals && (scheme.coupling == sampling::Coupling::independent ||
                                          *std::max_element(groups.begin(), groups.end()) == 1);
    }
};

Sums sums_of(const Estimator& estimator, const PointsView& x, const PointsView& y) {
    Points logs(x.rows(), y.rows());
    estimator.mechanism.log_variances(x, y, logs);
    const bool independent = estimator.independent();
    const double log_count = std::log(static_cast<double>(estimator.count));
    Sums sums;
    sums.pairs = logs.size();
    for (Index i = 0; i < x.rows(); ++i)
        for (Index j = 0; j < y.rows(); ++j) {
            const double log = logs(i, j);
            if (log == -std::numeric_limits<double>::infinity()) {
                ++sums.zeros;
                continue;
            }
            sums.logs += log;
            sums.squares += log * log;
            if (independent) {
                sums.estimators += log - log_count;
            } else if (sums.closed) {
                const Pair pair(x.row(i).data(), y.row(j).data(), x.cols());
                const auto known = estimator_log_variance(estimator.mechanism, pair, estimator.scheme, estimator.count);
                sums.closed = known.has_value();
                sums.estimators += known.value_or(0);
            }
        }
    return sums;
}

/// Calls take(sums_of_block(i)) for i = 0 .. count - 1, in this order. Threads share the sums; this one tells how many
/// are done.
template <class SumsOfBlock, class Take>
void for_blocks(Index count, SumsOfBlock sums_of_block, Take take) {
    constexpr Index at_once = 16;
    std::vector<Sums> sums(static_cast<std::size_t>(at_once));
    for (const Index part : parallel::Parts((count + at_once - 1) / at_once)) {
        const Index first = part * at_once, n = std::min(at_once, count - first);
        parallel::Loop(n, parallel::Share::in_order).run([&](Index i) {
            sums[static_cast<std::size_t>(i)] = sums_of_block(first + i);
        });
        for (Index i = 0; i < n; ++i) take(sums[static_cast<std::size_t>(i)]);
    }
}

PairAverages averages(const Sums& total) {
    PairAverages result;
    result.pairs = total.pairs;
    result.zeros = total.zeros;
    // 0 / 0 is an average of no pairs.
    const double mean = total.logs / total.finite();
    const double square = total.squares / total.finite() - mean * mean;
    result.log_variance = {mean, 0};
    result.log_variance_sd = std::sqrt(square < 0 ? 0 : square);
    if (total.closed) result.estimator = {total.estimators / total.finite(), 0};
    return result;
}

/// Standard error of a ratio of two sums over blocks, `sum` and the number of pairs that have a logarithm.
double standard_error(const std::vector<Sums>& blocks, double ratio, double Sums::*sum) {
    double squares = 0, finite = 0;
    for (const Sums& block : blocks) {
        squares += std::pow(block.*sum - ratio * block.finite(), 2);
        finite += block.finite();
    }
    const double n = static_cast<double>(blocks.size());
    return std::sqrt(squares * n / (n - 1)) / finite;
}

Points drawn_from(const PointsView& all, Stream stream) {
    Points rows(drawn_rows, all.cols());
    for (Index i = 0; i < drawn_rows; ++i)
        rows.row(i) = all.row(static_cast<Index>(stream.below(static_cast<std::uint64_t>(all.rows()))));
    return rows;
}

}  // namespace

PairAverages average_pairs(const MechanismWithMoments& mechanism, const PointsView& x, const PointsView& y,
                           const sampling::Scheme& scheme, Index count) {
    const Estimator estimator{mechanism, scheme, count};
    const auto tiles = [](const PointsView& points) { return (points.rows() + tile_rows - 1) / tile_rows; };
    const auto tile = [](const PointsView& points, Index number) -> PointsView {
        const Index first = number * tile_rows;
        return points.middleRows(first, std::min(tile_rows, points.rows() - first));
    };
    Sums total;
    const Index across = tiles(y);
    for_blocks(
        tiles(x) * across, [&](Index i) { return sums_of(estimator, tile(x, i / across), tile(y, i % across)); },
        [&](const Sums& sums) { total.add(sums); });
    return averages(total);
}

PairAverages average_drawn_pairs(const MechanismWithMoments& mechanism, const PointsView& x, const PointsView& y,
                                 const sampling::Scheme& scheme, Index count, Index blocks, const Stream& stream) {
    if (blocks < 2)
        throw std::invalid_argument("average_drawn_pairs: a standard error needs two blocks at least, not " +
                                    std::to_string(blocks));
    const Estimator estimator{mechanism, scheme, count};
    std::vector<Sums> all;
    for_blocks(
        blocks,
        [&](Index i) {
            const Stream own = stream.child(static_cast<std::uint64_t>(i));
            return sums_of(estimator, drawn_from(x, own.child("x")), drawn_from(y, own.child("y")));
        },
        [&](const Sums& sums) { all.push_back(sums); });
    Sums total;
    for (const Sums& sums : all) total.add(sums);
    PairAverages result = averages(total);
    result.log_variance.standard_error = standard_error(all, result.log_variance.value, &Sums::logs);
    if (result.estimator)
        result.estimator->standard_error = standard_error(all, result.estimator->value, &Sums::estimators);
    return result;
}

double mean_log_kernel(const PointsView& x, const PointsView& y) {
    // The mean of |x - y|^2 is that of |x - c|^2 and of |y - c|^2, less 2 (mean of x - c).(mean of y - c).
    const Eigen::RowVectorXd c = x.colwise().mean();
    const auto spread = [&](const PointsView& points) {
        return (points.rowwise() - c).squaredNorm() / static_cast<double>(points.rows());
    };
    return -0.5 * (spread(x) + spread(y));
}

}  // namespace rfbench::features
