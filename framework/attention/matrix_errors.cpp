#include "rfbench/attention/matrix_errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "rfbench/attention/key_positions.hpp"
#include "rfbench/parallel/parts.hpp"
#include "rfbench/theory/special.hpp"

namespace rfbench::attention {
namespace {

using features::FeatureBlock;
using features::Side;

/// Keys, whose features are made again for each tile of queries.
constexpr Index keys_at_a_time = 512;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Tile {
    Index first, n;
};

std::vector<Tile> tiles(Index length, Index size) {
    std::vector<Tile> all;
    for (Index first = 0; first < length; first += size) all.push_back({first, std::min(size, length - first)});
    return all;
}

std::vector<Tile> key_tiles(const Inputs<double>& in) { return tiles(in.keys.rows(), keys_at_a_time); }

/// Queries of a tile, 64 to 512: about 2^20 weights over all keys, which stay in a cache. The minimum is there since
/// each tile computes the features of all keys again.
Index queries_at_a_time(Index keys) { return std::clamp<Index>((1 << 20) / std::max<Index>(1, keys), 64, 512); }

/// Some rows of softmax attention's matrix. Loops go row by row: only such expressions are vectorized.
struct SoftmaxRows {
    Points weights;     ///< of all keys
    Vector log_kernel;  ///< exp(log_kernel[i]) times the weights of row i is exp(q.k / sqrt d)

    /// One exponential an entry: relative to the row's largest, of which both matrices are multiples.
    void make(const Inputs<double>& in, const Tile& queries) {
        weights.resize(queries.n, in.keys.rows());
        log_kernel.resize(queries.n);
        weights.noalias() = in.queries.middleRows(queries.first, queries.n) * in.keys.transpose();
        const double scale = 1 / std::sqrt(static_cast<double>(in.queries.cols()));
        for (Index i = 0; i < queries.n; ++i) {
            auto row = weights.row(i).array();
            const double largest = row.maxCoeff() * scale;
            row = (row * scale - largest).exp();
            const double sum = row.sum();
            row *= 1 / sum;
            log_kernel[i] = largest + std::log(sum);
        }
    }
};

/// The estimates of one map.
class Estimates {
public:
    Estimates(const features::FeatureMap& map, const Inputs<double>& in)
        : map_(map), in_(in), key_sums_(Vector::Zero(map.columns())) {
        for (const Tile& keys : key_tiles(in)) {
            map.evaluate(Side::key, in.keys.middleRows(keys.first, keys.n), keys_);
            const double higher = std::max(key_scale_, keys_.log_scale.maxCoeff());
            key_sums_ = key_sums_ * std::exp(key_scale_ - higher) +
                        keys_.values.transpose() * (keys_.log_scale.array() - higher).exp().matrix();
            key_scale_ = higher;
        }
    }

    void begin(const Tile& queries) {
        map_.evaluate(Side::query, in_.queries.middleRows(queries.first, queries.n), queries_);
        denominators_.noalias() = queries_.values * key_sums_;
        nonpositive += (denominators_.array() > 0).select(Vector::Zero(queries.n), Vector::Ones(queries.n)).sum();
        output_ = Points::Zero(queries.n, in_.values.cols());
    }

    void add(const Tile& keys, const SoftmaxRows& softmax) {
        map_.evaluate(Side::key, in_.keys.middleRows(keys.first, keys.n), keys_);
        const Eigen::ArrayXd of_keys = (keys_.log_scale.array() - key_scale_).exp();
        estimates_.noalias() = queries_.values * keys_.values.transpose();
        for (Index i = 0; i < estimates_.rows(); ++i) {
            auto row = estimates_.row(i).array();
            const auto weights = softmax.weights.row(i).segment(keys.first, keys.n).array();
            row *= of_keys.transpose();
            const double peak = row.abs().maxCoeff();
            if (peak > 0) row /= peak;
            // Both rows of the kernel relative to the larger one, whose logarithm is `top`: their squares are sums of
            // numbers near 1, however large or small the kernel is.
            const double log_row = std::log(peak) + queries_.log_scale[i] + key_scale_;
            const double top = std::max(log_row, softmax.log_kernel[i]);
            const double scale = std::exp(log_row - top), exact_scale = std::exp(softmax.log_kernel[i] - top);
            errors.add_kernel(top, (row * scale - weights * exact_scale).square().sum());
            // Over the denominator, where the query's own scale cancels; zeros, as attention gives them, where it is 0.
            row *= denominators_[i] == 0 ? 0 : peak / denominators_[i];
            errors.matrix += (row - weights).square().sum();
        }
        output_.noalias() += estimates_ * in_.values.middleRows(keys.first, keys.n);
    }

    void end(const Points& exact) { errors.output += (output_ - exact).squaredNorm(); }

    Squares errors;
    double nonpositive = 0;

private:
    const features::FeatureMap& map_;
    const Inputs<double>& in_;
    double key_scale_ = -infinity;
    Vector key_sums_;  // of keys' features, relative to exp(key_scale_)
    FeatureBlock<double> queries_, keys_;
    Vector denominators_;
    Points estimates_, output_;
};

}  // namespace

void Squares::add_kernel(double log_scale, double squares) {
    log_kernel = theory::log_add(log_kernel, 2 * log_scale + std::log(squares));
}

double matrix_errors_bytes(Index keys) { return static_cast<double>(queries_at_a_time(keys) * keys) * sizeof(double); }

MatrixErrors matrix_errors(const Inputs<double>& in, const features::FeatureMap& map) {
    check(in, Visible::all);
    const KeyPositions kept(in);
    if (kept.count() == 0) throw std::invalid_argument("matrix errors: no key is kept");
    if (!kept.all()) {
        const Points keys = kept.rows(in.keys, 0, kept.count()), values = kept.rows(in.values, 0, kept.count());
        return matrix_errors({in.queries, keys, values}, map);
    }
    Estimates estimates(map, in);
    Squares size;
    SoftmaxRows softmax;
    const std::vector<Tile> all = tiles(in.queries.rows(), queries_at_a_time(in.keys.rows()));
    parallel::Parts parts(static_cast<Index>(all.size()));
    for (const Tile& queries : all) {
        softmax.make(in, queries);
        size.matrix += softmax.weights.squaredNorm();
        for (Index i = 0; i < queries.n; ++i)
            size.add_kernel(softmax.log_kernel[i], softmax.weights.row(i).squaredNorm());
        const Points output = softmax.weights * in.values;
        size.output += output.squaredNorm();
        estimates.begin(queries);
        for (const Tile& keys : key_tiles(in)) estimates.add(keys, softmax);
        estimates.end(output);
        parts.done();
    }
    return {size, estimates.errors, static_cast<Index>(estimates.nonpositive)};
}

}  // namespace rfbench::attention
