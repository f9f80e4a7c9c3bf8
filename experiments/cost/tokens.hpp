#pragma once
#include "rfbench/attention/inputs.hpp"
#include "sources/normal_points.hpp"

namespace rfbench::experiments {

/// Queries, keys and values of one head in float, L x d each, with independent N(0, 1) entries.
struct Tokens {
    Rows<float> queries, keys, values;

    Tokens(Index length, Index dimension, const Stream& stream)
        : queries(normal_points(stream.child("queries"), length, dimension).cast<float>()),
          keys(normal_points(stream.child("keys"), length, dimension).cast<float>()),
          values(normal_points(stream.child("values"), length, dimension).cast<float>()) {}
    attention::Inputs<float> inputs() const { return {queries, keys, values}; }
};

}  // namespace rfbench::experiments
