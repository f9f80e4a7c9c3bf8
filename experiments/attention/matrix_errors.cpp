#include "attention/matrix_errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rfbench::experiments {
namespace {

using features::FeatureBlock;
using features::Side;

/// Tokens: features of keys are made again for each tile of queries.
constexpr Index tile = 512;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Tile {
    Index first, n;
};

std::vector<Tile> tiles(Index length) {
    std::vector<Tile> all;
    for (Index first = 0; first < length; first += tile) all.push_back({first, std::min(tile, length - first)});
    return all;
}

/// log exp(q.k / sqrt d) of these queries and keys.
Points logs(const HeadSequence& head, const Tile& queries, const Tile& keys) {
    return head.tokens.queries.middleRows(queries.first, queries.n) *
           head.tokens.keys.middleRows(keys.first, keys.n).transpose() /
           std::sqrt(static_cast<double>(head.tokens.queries.cols()));
}

/// No exponent is larger than this (Cauchy and Schwarz).
double highest_log(const HeadSequence& head) {
    return std::sqrt(head.tokens.queries.rowwise().squaredNorm().maxCoeff() *
                     head.tokens.keys.rowwise().squaredNorm().maxCoeff() /
                     static_cast<double>(head.tokens.queries.cols()));
}

/// Logarithms of the denominators of softmax attention.
Vector log_denominators(const HeadSequence& head, const Tile& queries) {
    Vector highest = Vector::Constant(queries.n, -infinity), sums = Vector::Zero(queries.n);
    for (const Tile& keys : tiles(head.tokens.keys.rows())) {
        const Points own = logs(head, queries, keys);
        const Vector higher = highest.cwiseMax(own.rowwise().maxCoeff());
        sums = sums.array() * (highest - higher).array().exp() + (own.colwise() - higher).array().exp().rowwise().sum();
        highest = higher;
    }
    return highest.array() + sums.array().log();
}

/// The estimates of one map.
class Estimates {
public:
    Estimates(const features::FeatureMap& map, const HeadSequence& head)
        : map_(map), head_(head), key_sums_(Vector::Zero(map.columns())) {
        for (const Tile& keys : tiles(head.tokens.keys.rows())) {
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

    void add(const Tile& keys, const Points& weights, const Points& kernel, double highest) {
        map_.evaluate(Side::key, head_.tokens.keys.middleRows(keys.first, keys.n), keys_);
        Points estimates = queries_.values * keys_.values.transpose();
        estimates.array().rowwise() *= (keys_.log_scale.array() - key_scale_).exp().transpose();
        const Vector scale = (queries_.log_scale.array() + key_scale_ - highest).exp();
        errors.kernel += ((estimates.array().colwise() * scale.array()).matrix() - kernel).squaredNorm();
        estimates.array().colwise() *= inverse_.array();
        errors.matrix += (estimates - weights).squaredNorm();
        output_ += estimates * head_.values.middleRows(keys.first, keys.n);
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
    Points output_;
};

}  // namespace

MatrixErrors matrix_errors(const HeadSequence& head, const features::FeatureMap& map) {
    Estimates estimates(map, head);
    const double highest = highest_log(head);
    Squares size;
    for (const Tile& queries : tiles(head.tokens.queries.rows())) {
        const Vector denominators = log_denominators(head, queries);
        Points output = Points::Zero(queries.n, head.values.cols());
        estimates.begin(queries);
        for (const Tile& keys : tiles(head.tokens.keys.rows())) {
            const Points of_pairs = logs(head, queries, keys);
            const Points weights = (of_pairs.colwise() - denominators).array().exp();
            const Points kernel = (of_pairs.array() - highest).exp();
            size.matrix += weights.squaredNorm();
            size.kernel += kernel.squaredNorm();
            output += weights * head.values.middleRows(keys.first, keys.n);
            estimates.add(keys, weights, kernel, highest);
        }
        size.output += output.squaredNorm();
        estimates.end(output);
    }
    return {size, estimates.errors, static_cast<Index>(estimates.nonpositive)};
}

}  // namespace rfbench::experiments
