#include "attention/matrix_errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rfbench::experiments {
namespace {

using features::FeatureBlock;
using features::Side;

/// Keys, whose features are made again for each tile of queries.
constexpr Index key_tile = 512;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Tile {
    Index first, n;
};

std::vector<Tile> tiles(Index length, Index size) {
    std::vector<Tile> all;
    for (Index first = 0; first < length; first += size) all.push_back({first, std::min(size, length - first)});
    return all;
}

std::vector<Tile> key_tiles(const HeadSequence& head) { return tiles(head.tokens.keys.rows(), key_tile); }

/// So many that their weights of all keys, which are held, stay in a cache; few enough to be worth the keys' features.
Index query_tile(Index keys) { return std::clamp<Index>((1 << 20) / keys, 64, 512); }

/// No exponent is larger than this (Cauchy and Schwarz).
double highest_log(const HeadSequence& head) {
    return std::sqrt(head.tokens.queries.rowwise().squaredNorm().maxCoeff() *
                     head.tokens.keys.rowwise().squaredNorm().maxCoeff() /
                     static_cast<double>(head.tokens.queries.cols()));
}

/// Some rows of softmax attention's matrix. Loops go row by row: only such expressions are vectorized.
struct SoftmaxRows {
    Points weights;  ///< of all keys
    Vector kernel;   ///< what a row's weights are multiplied with to be exp(q.k / sqrt d - highest)

    /// One exponential an entry: relative to the row's largest, of which both matrices are multiples.
    void make(const HeadSequence& head, const Tile& queries, double highest) {
        weights.resize(queries.n, head.tokens.keys.rows());
        kernel.resize(queries.n);
        weights.noalias() = head.tokens.queries.middleRows(queries.first, queries.n) * head.tokens.keys.transpose();
        const double scale = 1 / std::sqrt(static_cast<double>(head.tokens.queries.cols()));
        for (Index i = 0; i < queries.n; ++i) {
            auto row = weights.row(i).array();
            const double largest = row.maxCoeff() * scale;
            row = (row * scale - largest).exp();
            const double sum = row.sum();
            row *= 1 / sum;
            kernel[i] = sum * std::exp(largest - highest);
        }
    }
};

/// The estimates of one map.
class Estimates {
public:
    Estimates(const features::FeatureMap& map, const HeadSequence& head)
        : map_(map), head_(head), key_sums_(Vector::Zero(map.columns())) {
        for (const Tile& keys : key_tiles(head)) {
            map.evaluate(Side::key, head.tokens.keys.middleRows(keys.first, keys.n), keys_);
            const double higher = std::max(key_scale_, keys_.log_scale.maxCoeff());
            key_sums_ = key_sums_ * std::exp(key_scale_ - higher) +
                        keys_.values.transpose() * (keys_.log_scale.array() - higher).exp().matrix();
            key_scale_ = higher;
        }
    }

    void begin(const Tile& queries) {
        map_.evaluate(Side::query, head_.tokens.queries.middleRows(queries.first, queries.n), queries_);
        const Vector denominators = queries_.values * key_sums_;
        nonpositive += (denominators.array() > 0).select(Vector::Zero(queries.n), Vector::Ones(queries.n)).sum();
        // As attention gives it: the quotient, or zeros.
        inverse_ = (denominators.array() == 0).select(0, denominators.array().inverse());
        output_ = Points::Zero(queries.n, head_.values.cols());
    }

    void add(const Tile& keys, const SoftmaxRows& softmax, double highest) {
        map_.evaluate(Side::key, head_.tokens.keys.middleRows(keys.first, keys.n), keys_);
        const Eigen::ArrayXd of_keys = (keys_.log_scale.array() - key_scale_).exp();
        estimates_.noalias() = queries_.values * keys_.values.transpose();
        for (Index i = 0; i < estimates_.rows(); ++i) {
            auto row = estimates_.row(i).array();
            const auto weights = softmax.weights.row(i).segment(keys.first, keys.n).array();
            const double scale = std::exp(queries_.log_scale[i] + key_scale_ - highest);
            row *= of_keys.transpose();
            errors.kernel += (row * scale - weights * softmax.kernel[i]).square().sum();
            row *= inverse_[i];
            errors.matrix += (row - weights).square().sum();
        }
        output_.noalias() += estimates_ * head_.values.middleRows(keys.first, keys.n);
    }

    void end(const Points& exact) { errors.output += (output_ - exact).squaredNorm(); }

    Squares errors;
    double nonpositive = 0;

private:
    const features::FeatureMap& map_;
    const HeadSequence& head_;
    double key_scale_ = -infinity;
    Vector key_sums_;  // of keys' features, relative to exp(key_scale_)
    FeatureBlock<double> queries_, keys_;
    Vector inverse_;
    Points estimates_, output_;
};

}  // namespace

double matrix_errors_bytes(Index keys) { return static_cast<double>(query_tile(keys) * keys) * sizeof(double); }

MatrixErrors matrix_errors(const HeadSequence& head, const features::FeatureMap& map) {
    Estimates estimates(map, head);
    const double highest = highest_log(head);
    Squares size;
    SoftmaxRows softmax;
    for (const Tile& queries : tiles(head.tokens.queries.rows(), query_tile(head.tokens.keys.rows()))) {
        softmax.make(head, queries, highest);
        size.matrix += softmax.weights.squaredNorm();
        for (Index i = 0; i < queries.n; ++i) size.kernel += (softmax.weights.row(i) * softmax.kernel[i]).squaredNorm();
        const Points output = softmax.weights * head.values;
        size.output += output.squaredNorm();
        estimates.begin(queries);
        for (const Tile& keys : key_tiles(head)) estimates.add(keys, softmax, highest);
        estimates.end(output);
    }
    return {size, estimates.errors, static_cast<Index>(estimates.nonpositive)};
}

}  // namespace rfbench::experiments
