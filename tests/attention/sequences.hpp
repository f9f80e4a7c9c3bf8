#pragma once
#include <limits>
#include <span>
#include <vector>

#include "rfbench/attention/inputs.hpp"
#include "rfbench/random/stream.hpp"
#include "support/normal_points.hpp"

using rfbench::tests::normal_points;

/// Normal queries, keys and values of one head.
struct Sequence {
    rfbench::Points queries, keys, values;
};

inline Sequence sequence(rfbench::Index queries, rfbench::Index keys, rfbench::Index d, rfbench::Index e, double scale,
                         std::uint64_t seed) {
    return {scale * normal_points(queries, d, rfbench::Stream(seed).child(0)),
            scale * normal_points(keys, d, rfbench::Stream(seed).child(1)),
            normal_points(keys, e, rfbench::Stream(seed).child(2))};
}

/// The ulp of one, as a double.
template <class Scalar>
constexpr double epsilon_of = static_cast<double>(std::numeric_limits<Scalar>::epsilon());

/// A sequence in one precision.
template <class Scalar>
struct SequenceOf {
    rfbench::Rows<Scalar> queries, keys, values;

    explicit SequenceOf(const Sequence& s)
        : queries(s.queries.cast<Scalar>()), keys(s.keys.cast<Scalar>()), values(s.values.cast<Scalar>()) {}

    rfbench::attention::Inputs<Scalar> inputs(std::span<const unsigned char> kept = {}) const {
        return {queries, keys, values, kept};
    }
    /// The same numbers in double, for definitions.
    Sequence wide() const {
        return {queries.template cast<double>(), keys.template cast<double>(), values.template cast<double>()};
    }
};

/// Padding at the start, at every third key, and over more than a block of causal attention.
inline std::vector<unsigned char> padding(rfbench::Index keys) {
    std::vector<unsigned char> kept(static_cast<std::size_t>(keys), 1);
    for (std::size_t j = 0; j < kept.size(); ++j)
        if (j % 3 == 1 || j < 2 || (j >= 30 && j < 95)) kept[j] = 0;
    return kept;
}
