#pragma once
#include "rfbench/matrix.hpp"
#include "rfbench/random/stream.hpp"

/// Normal queries, keys and values of one head.
struct Sequence {
    rfbench::Points queries, keys, values;
};

inline rfbench::Points normal_points(rfbench::Index n, rfbench::Index d, const rfbench::Stream& stream) {
    Eigen::MatrixXd entries(d, n);
    rfbench::fill_normal(stream, entries);
    return entries.transpose();
}

inline Sequence sequence(rfbench::Index queries, rfbench::Index keys, rfbench::Index d, rfbench::Index e, double scale,
                         std::uint64_t seed) {
    return {scale * normal_points(queries, d, rfbench::Stream(seed).child(0)),
            scale * normal_points(keys, d, rfbench::Stream(seed).child(1)),
            normal_points(keys, e, rfbench::Stream(seed).child(2))};
}
