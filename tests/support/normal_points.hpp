#pragma once
#include "rfbench/random/stream.hpp"

namespace rfbench::tests {

/// n points of d independent N(shift, scale^2) coordinates, one a row.
inline Points normal_points(Index n, Index d, const Stream& stream, double scale = 1, double shift = 0) {
    Eigen::MatrixXd columns(d, n);
    fill_normal(stream, columns);
    return (scale * columns.transpose()).array() + shift;
}

/// n independent N(0, 1) numbers.
inline Vector normal_vector(Index n, const Stream& stream) { return normal_points(1, n, stream).transpose(); }

}  // namespace rfbench::tests
