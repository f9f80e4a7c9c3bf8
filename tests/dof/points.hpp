#pragma once
#include "rfbench/random/stream.hpp"

/// n points of N(0, scale^2 I).
inline rfbench::Points normal_points(rfbench::Index n, rfbench::Index d, double scale, const rfbench::Stream& stream) {
    Eigen::MatrixXd entries(d, n);
    rfbench::fill_normal(stream, entries);
    return scale * entries.transpose();
}
